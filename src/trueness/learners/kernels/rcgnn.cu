// RC-GNN's loops for many fits at once: one thread block per fit. The formulas and their reasons stand in rcgnn.py beside
// this file, under the same names; here is only how the threads of a block share the work.
//
//   node_score      one warp per candidate edge: lanes share the entries of the matrices, the regimes, then the rows
//   search          the warps of a block share the candidates; one thread makes the move
//   pass_messages   rows without order: one thread per row; a series: row after row, and within one the values whose
//                   updates touch no common residual at once, so that the result is that of the loop in rcgnn.py
//
// Arrays start with the fit and end with the row: x[(fit d + i) n + t]. Regimes are padded to G in all fits; `regimes`
// says how many a fit has. A set of variables is one 64-bit mask: at most 64 of them.

typedef unsigned long long Mask;
typedef unsigned char Flag;

const unsigned ALL = 0xffffffffu;
const int LANES = 32, MOST = 64;
const double K1 = 79.047, K2 = 7.4129, GAUSSIAN_LOGCOSH = 0.37457, LOG_2 = 0.6931471805599453, NO_GAIN = 1e-6;

__device__ double minus_infinity() { return __longlong_as_double(0xfff0000000000000ULL); }

__device__ double warp_sum(double value) {
    for (int step = LANES / 2; step; step /= 2) value += __shfl_xor_sync(ALL, value, step);
    return value;
}

// The larger value; of equal ones that with the smaller key, as a loop in the order of the keys would choose.
__device__ void take_better(double &value, int &key, double other, int other_key) {
    if (other > value || (other == value && other_key < key)) value = other, key = other_key;
}

__device__ void warp_best(double &value, int &key) {
    for (int step = LANES / 2; step; step /= 2) {
        double other = __shfl_xor_sync(ALL, value, step);
        int other_key = __shfl_xor_sync(ALL, key, step);
        take_better(value, key, other, other_key);
    }
}

// One fit's data. z[i n + t]: the bounded signals, and a row of ones after the last variable.
struct Fit {
    int n, d, lags, p, regimes;
    const double *z, *grams, *weights;  // grams[(g p + a) p + b]; one weight per row
    const int *regime;
    double edge_cost, held_cost, entropy;

    __device__ double gram(int g, int a, int b) const { return grams[(g * p + a) * p + b]; }
    __device__ double rows_of(int g) const { return gram(g, p - 1, p - 1); }
    // where column c of the predictors starts in z: its row t is the row t + lags of the data
    __device__ int start_of(int c) const { return c == p - 1 ? d * n : (c % d) * n + lags - c / d; }
};

// What one warp writes while it scores one candidate.
struct Room {
    double *beta, *work;
    int *columns, *start;
    Flag *held;
};

__device__ void solve(double *a, double *b, int k, int lane) {
    for (int j = 0; j < k; j++) {
        double root = 0;
        for (int i = j + lane; i - lane < k; i += LANES) {  // all lanes stay for the broadcast
            double total = 0;
            if (i < k) {
                total = a[i * k + j] + (i == j ? 1e-9 * a[i * k + i] : 0.0);
                for (int m = 0; m < j; m++) total -= a[i * k + m] * a[j * k + m];
            }
            if (i - lane == j) root = __shfl_sync(ALL, sqrt(fmax(total, 1e-12)), 0);
            __syncwarp();
            if (i < k) a[i * k + j] = i == j ? root : total / root;
        }
        __syncwarp();
    }
    for (int i = 0; i < k; i++) {
        double value = b[i] / a[i * k + i];
        __syncwarp();
        if (lane == 0) b[i] = value;
        for (int m = i + 1 + lane; m < k; m += LANES) b[m] -= a[m * k + i] * value;
        __syncwarp();
    }
    for (int i = k - 1; i >= 0; i--) {
        double value = b[i] / a[i * k + i];
        __syncwarp();
        if (lane == 0) b[i] = value;
        for (int m = lane; m < i; m += LANES) b[m] -= a[i * k + m] * value;
        __syncwarp();
    }
}

__device__ double least_squares(const Fit &f, const Room &r, int j, int k, int lane, double &rows) {
    double yy = 0, left = 0;
    rows = 0;
    for (int g = 0; g < f.regimes; g++)
        if (!r.held[g]) yy += f.gram(g, j, j), rows += f.rows_of(g);
    for (int place = lane; place < k * k + k; place += LANES) {  // the lower triangle, then the right-hand side
        int a = place < k * k ? place / k : place - k * k, b = place < k * k ? place % k : -1;
        double total = 0;
        if (b <= a)
            for (int g = 0; g < f.regimes; g++)
                if (!r.held[g]) total += f.gram(g, r.columns[a], b < 0 ? j : r.columns[b]);
        if (b < 0) r.beta[a] = total;
        else r.work[place] = total;
    }
    __syncwarp();
    solve(r.work, r.beta, k, lane);
    for (int a = lane; a < k; a += LANES)
        for (int g = 0; g < f.regimes; g++)
            if (!r.held[g]) left += f.gram(g, r.columns[a], j) * r.beta[a];
    return fmax(yy - warp_sum(left), 1e-6 * rows);
}

__device__ double left_in(const Fit &f, const Room &r, int j, int k, int g) {
    double total = f.gram(g, j, j);
    for (int a = 0; a < k; a++) {
        total -= 2 * r.beta[a] * f.gram(g, r.columns[a], j);
        for (int b = 0; b < k; b++) total += r.beta[a] * r.beta[b] * f.gram(g, r.columns[a], r.columns[b]);
    }
    return total;
}

__device__ double held_alone(const Fit &f, int j, int g) {
    double n = f.rows_of(g), mean = f.gram(g, f.p - 1, j) / n;
    return n < 1 ? 0.0 : -n / 2 * log(fmax(f.gram(g, j, j) / n - mean * mean, 1e-6));
}

// The score of j with the edge `flip` put in or taken out (-1: as it is), and in `plain` the score without its shape.
__device__ double node_score(const Fit &f, const Room &r, int j, const Flag *parents, int flip, double at_least,
                             int lane, double &plain, int &k) {
    k = 0;
    for (int c = lane; c - lane < f.p; c += LANES) {
        bool in = c < f.p && (c == f.p - 1 || (parents[c] != 0) != (c == flip));
        unsigned mask = __ballot_sync(ALL, in);
        int place = k + __popc(mask & ((1u << lane) - 1));
        if (in) r.columns[place] = c, r.start[place] = f.start_of(c);
        k += __popc(mask);
    }
    for (int g = lane; g < f.regimes; g += LANES) r.held[g] = 0;
    __syncwarp();
    double n, left = least_squares(f, r, j, k, lane, n), score = -n / 2 * log(left / n);
    for (int off = 0; off < f.regimes - 1; off++) {
        double best_gain = 0;
        int best = f.regimes;
        for (int g = lane; g < f.regimes; g += LANES) {
            if (r.held[g]) continue;
            double n_g = f.rows_of(g), rest = fmax(left - left_in(f, r, j, k, g), 1e-6 * n);
            double gain = held_alone(f, j, g) - (n - n_g) / 2 * log(rest / fmax(n - n_g, 1.0)) - f.held_cost;
            gain += n / 2 * log(left / n);
            if (gain > best_gain) best_gain = gain, best = g;
        }
        warp_best(best_gain, best);
        if (best == f.regimes) break;
        if (lane == 0) r.held[best] = 1;
        __syncwarp();
        double before = score, alone = 0;
        left = least_squares(f, r, j, k, lane, n);
        for (int g = lane; g < f.regimes; g += LANES)
            if (r.held[g]) alone += held_alone(f, j, g) - f.held_cost;
        score = -n / 2 * log(left / n) + warp_sum(alone);
        if (score <= before) break;
    }
    plain = score - f.edge_cost * (k - 1);
    if (f.entropy <= 0 || plain < at_least) return plain;
    double over_sd = 1 / sqrt(left / n), cosh = 0, odd = 0;
    const double *y = f.z + f.start_of(j);
    for (int t = lane; t < f.n - f.lags; t += LANES) {
        if (r.held[f.regime[t + f.lags]]) continue;
        double u = y[t];
        for (int a = 0; a < k; a++) u -= r.beta[a] * f.z[r.start[a] + t];
        u *= over_sd;
        double size = fabs(u);
        cosh += f.weights[t] * (size + log1p(exp(-2 * size)) - LOG_2);
        odd += f.weights[t] * u * exp(-u * u / 2);
    }
    cosh = warp_sum(cosh) / n - GAUSSIAN_LOGCOSH;
    odd = warp_sum(odd) / n;
    return plain + f.entropy * n * (K1 * cosh * cosh + K2 * odd * odd);
}

__device__ bool reaches(const Mask *children, int start, int goal, int skip_from, int skip_to) {
    Mask seen = 1ULL << start, open = seen;
    while (open) {
        int node = __ffsll(open) - 1;
        open &= open - 1;
        Mask next = children[node] & ~seen;
        if (node == skip_from) next &= ~(1ULL << skip_to);
        seen |= next;
        open |= next;
    }
    return seen >> goal & 1;
}

// order: the rows sorted by regime; those of regime g stand from first[g] to first[g + 1].
extern "C" __global__ void sum_products(int n, int d, int lags, int G, const double *z, const double *weights,
                                        const int *order, const int *first, double *grams) {
    long fit = blockIdx.x;
    int p = (lags + 1) * d + 1, lane = threadIdx.x % LANES, warp = threadIdx.x / LANES, warps = blockDim.x / LANES;
    Fit f = {n, d, lags, p};
    z += fit * (d + 1) * n, weights += fit * (n - lags), order += fit * (n - lags), first += fit * (G + 1), grams += fit * G * p * p;
    for (int a = 0; a < p; a++)
        for (int b = a + warp; b < p; b += warps) {
            const double *left = z + f.start_of(a), *right = z + f.start_of(b);
            for (int g = 0; g < G; g++) {
                double total = 0;
                for (int row = first[g] + lane; row < first[g + 1]; row += LANES)
                    total += left[order[row]] * weights[order[row]] * right[order[row]];
                total = warp_sum(total);
                if (lane == 0) grams[(g * p + a) * p + b] = grams[(g * p + b) * p + a] = total;
            }
        }
}

extern "C" __global__ void search(int n, int d, int lags, int G, const double *z, const double *grams,
                                  const double *weights, const int *regime, const int *regimes, double edge_cost, double held_cost, double entropy, Flag *parents,
                                  double *strength, Flag *held, double *betas, double *doubles, int *ints, Flag *flags) {
    __shared__ double score[MOST], plain_score[MOST], best_of[MOST];
    __shared__ int stale[MOST], stales, key_of[MOST];
    __shared__ Mask children[MOST];
    long fit = blockIdx.x;
    int p = (lags + 1) * d + 1, lane = threadIdx.x % LANES, warp = threadIdx.x / LANES, warps = blockDim.x / LANES;
    Fit f = {n, d, lags, p, regimes[fit], z + fit * (d + 1) * n, grams + fit * G * p * p,
             weights + fit * (n - lags), regime + fit * n, edge_cost, held_cost, entropy};
    long own = fit * warps + warp;
    Room r = {doubles + own * (p + 1) * p, doubles + own * (p + 1) * p + p, ints + own * 2 * p, ints + own * 2 * p + p,
              flags + own * G};
    parents += fit * d * p, strength += fit * d * p, betas += fit * d * p, held += fit * d * G;
    for (int i = threadIdx.x; i < d; i += blockDim.x) {
        children[i] = 0;
        for (int k = 0; k < d; k++)
            if (parents[k * p + i]) children[i] |= 1ULL << k;
        stale[i] = i;
    }
    if (threadIdx.x == 0) stales = d;
    __syncthreads();
    for (int step = 0; step < 10 * d * p; step++) {
        double plain;
        int k;
        for (int place = warp; place < stales; place += warps) {  // as they are
            int j = stale[place];
            double now = node_score(f, r, j, parents + j * p, -1, minus_infinity(), lane, plain, k);
            if (lane == 0) score[j] = now, plain_score[j] = plain;
            for (int g = lane; g < f.regimes; g += LANES) held[j * G + g] = r.held[g];
            for (int c = lane; c < p; c += LANES) betas[j * p + c] = 0;
            __syncwarp();
            for (int a = lane; a < k; a += LANES) betas[j * p + r.columns[a]] = r.beta[a];
            __syncwarp();
        }
        __syncthreads();
        for (int place = warp; place < stales * (p - 1); place += warps) {  // with one edge more or less
            int j = stale[place / (p - 1)], c = place % (p - 1);
            double gain = minus_infinity();
            if (c != j) {
                double least = parents[j * p + c] ? gain : plain_score[j] - 1;
                gain = node_score(f, r, j, parents + j * p, c, least, lane, plain, k) - score[j];
                if (plain < least) gain = plain - plain_score[j];
                __syncwarp();
            }
            if (lane == 0) strength[j * p + c] = gain;
        }
        __syncthreads();
        double best = NO_GAIN;
        int key = 0x7fffffff;  // twice the place of the edge, and 1 if it is turned
        for (int place = threadIdx.x; place < d * (p - 1); place += blockDim.x) {
            int j = place / (p - 1), c = place % (p - 1);
            if (c == j) continue;
            bool there = parents[j * p + c];
            double gain = strength[j * p + c];
            if (gain > best && (c >= d || there || !reaches(children, j, c, -1, -1))) best = gain, key = 2 * place;
            double turned = there && c < d ? gain + strength[c * p + j] : minus_infinity();
            if (turned > best && !reaches(children, c, j, c, j)) best = turned, key = 2 * place + 1;
        }
        warp_best(best, key);
        if (lane == 0) best_of[warp] = best, key_of[warp] = key;
        __syncthreads();
        if (threadIdx.x == 0) {
            for (int other = 1; other < warps; other++) take_better(best, key, best_of[other], key_of[other]);
            stales = 0;
            if (best > NO_GAIN) {
                int to = key / 2 / (p - 1), c = key / 2 % (p - 1);
                parents[to * p + c] ^= 1;
                if (c < d) children[c] ^= 1ULL << to;
                stale[stales++] = to;
                if (key % 2) {
                    parents[c * p + to] = 1;
                    children[to] |= 1ULL << c;
                    stale[stales++] = c;
                }
            }
        }
        __syncthreads();
        if (!stales) break;
    }
    for (int place = threadIdx.x; place < d * p; place += blockDim.x) {
        if (place % p == p - 1) continue;
        double gain = strength[place];
        strength[place] = parents[place] ? -gain : gain < 0 ? gain : 0.0;
    }
}

// e = x - prediction; where a node hears no cause, that is its mean in the regime.
extern "C" __global__ void subtract_predictions(int n, int d, int lags, int G, const double *x, const int *regime,
                                                const Flag *held, const double *betas, const double *means, double *e) {
    long fit = blockIdx.x;
    int p = (lags + 1) * d + 1;
    x += fit * d * n, e += fit * d * n, regime += fit * n;
    held += fit * d * G, means += fit * d * G, betas += fit * d * p;
    for (int t = threadIdx.x; t < n; t += blockDim.x)
        for (int j = 0; j < d; j++) {
            const double *weight = betas + j * p;
            double expected = means[j * G + regime[t]];
            if (t >= lags && !held[j * G + regime[t]]) {
                expected = weight[p - 1];
                for (int c = 0; c < p - 1; c++)
                    if (weight[c] != 0) expected += weight[c] * x[(c % d) * n + t - c / d];
            }
            e[j * n + t] = x[j * n + t] - expected;
        }
}

struct Messages {
    int n, d, lags, p, G;
    double *x, *e;
    const double *y, *trust, *inverse, *betas, *noise;  // inverse: 1 / variance by node and regime
    const int *regime;
    const Flag *held;
    const Mask *effects;  // effects[l d + i]: who hears i, l rows later

    __device__ void draw(int t, int i) const {
        double own = trust[i * n + t], h = own + inverse[i * G + regime[t]];
        double slope = own * (x[i * n + t] - y[i * n + t]) + e[i * n + t] * inverse[i * G + regime[t]];
        for (int l = 0; l <= lags && t + l < n; l++)
            for (Mask some = hearing(t + l, l, i); some; some &= some - 1) {
                int k = __ffsll(some) - 1, g = regime[t + l];
                if (held[k * G + g]) continue;
                double w = betas[k * p + l * d + i], by = w * inverse[k * G + g];
                h += w * by;
                slope -= by * e[k * n + t + l];
            }
        double move = -slope / h + noise[i * n + t] / sqrt(h);
        x[i * n + t] += move;
        e[i * n + t] += move;
        for (int l = 0; l <= lags && t + l < n; l++)
            for (Mask some = hearing(t + l, l, i); some; some &= some - 1) {
                int k = __ffsll(some) - 1;
                if (!held[k * G + regime[t + l]]) e[k * n + t + l] -= betas[k * p + l * d + i] * move;
            }
    }
    __device__ Mask hearing(int later, int l, int i) const { return later < lags ? 0 : effects[l * d + i]; }
};

extern "C" __global__ void pass_messages(int n, int d, int lags, int G, double *x, double *e, const double *y,
                                         const double *trust, const double *inverse, const int *regime, const Flag *held,
                                         const Flag *parents, const double *betas, const double *noise) {
    extern __shared__ Mask effects[];  // (lags + 1, d)
    __shared__ int turn[MOST], turns;
    long fit = blockIdx.x, values = fit * d * n;
    int p = (lags + 1) * d + 1;
    parents += fit * d * p;
    for (int c = threadIdx.x; c < p - 1; c += blockDim.x) {
        effects[c] = 0;
        for (int k = 0; k < d; k++)
            if (parents[k * p + c]) effects[c] |= 1ULL << k;
    }
    __syncthreads();
    Messages m = {n, d, lags, p, G, x + values, e + values, y + values, trust + values, inverse + fit * d * G,
                  betas + fit * d * p, noise + values, regime + fit * n, held + fit * d * G, effects};
    if (!lags) {
        for (int t = threadIdx.x; t < n; t += blockDim.x)
            for (int i = 0; i < d; i++) m.draw(t, i);
        return;
    }
    if (threadIdx.x == 0) {  // one warp; i waits for every earlier one with which it shares a residual
        turns = 0;
        for (int i = 0; i < d; i++) {
            turn[i] = 0;
            for (int other = 0; other < i; other++) {
                Mask shared = (effects[i] | 1ULL << i) & (effects[other] | 1ULL << other);
                for (int l = 1; l <= lags; l++) shared |= effects[l * d + i] & effects[l * d + other];
                if (shared && turn[other] >= turn[i]) turn[i] = turn[other] + 1;
            }
            if (turn[i] >= turns) turns = turn[i] + 1;
        }
    }
    __syncthreads();
    for (int t = 0; t < n; t++)
        for (int now = 0; now < turns; now++) {
            for (int i = threadIdx.x; i < d; i += LANES)
                if (turn[i] == now) m.draw(t, i);
            __syncwarp();
        }
}
