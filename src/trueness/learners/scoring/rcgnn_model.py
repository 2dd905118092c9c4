"""RC-GNN's model: which variables' signals predict which, when each is seen through its own corruption.

    signal        s_i(t) = [z, tanh(u_i z + b_i)]  (k),  z = 3 tanh(x_i(t) / 3): an outlier moves it little
    corruption    c_j(t) = tanh MLP_j(slow_j(t), regime(t))  (q)       slow: trailing level, spread and share observed
    structure     A_ij = sigmoid(gate_ij) sigmoid(direction_ij),  gate symmetric, direction antisymmetric: A_ij and A_ji
                  compete.  A_jj = 1 for a variable's own past, 0 within a step
    decoder       mu_j(t) = b_j + keep_rj sum_l sum_i A_ij W_lij . s_i(t - l) + o_j . c_j(t),   l = 0 ... lags
                  keep_rj in (0, 1): how far j's mechanism holds in regime r; a hard intervention is 0
                  x_j(t) ~ Student-t(mu_j(t), scale exp(a_j + v_j . c_j(t)), df_j > 2)
    missingness   P(m_j(t) = 1) = sigmoid(u_j0 + U_j . s(t)) by its own cross entropy on signals it cannot change;
                  w_j(t) = share observed / P, clipped to [1 / clip, clip]: stabilised inverse-propensity weights
    effects       E_lij = A_ij |W_lij|,  E_ij = |E_.ij|: what is scored

    loss = sum_j mean_t w_j(t) (-log p(x_j(t))) - log |det(I - J)|  over observed values, the likelihood;
           J_ij = d mu_j / d x_i within a step (0 = log det for a DAG; without it cycles look too good: Ng et al. 2020)
         + sparsity sum_lij E_lij + acyclicity(step) (tr exp(E_0 o E_0) - d) + independence mean_j HSIC(s_j, c_j)
         + invariance mean_j Var_regimes(risk_j)
HSIC: biased estimate with RBF kernels of mean width, divided by its own bounds (CKA); Gretton et al. 2005.
Variance of risks: Krueger et al. 2021 (V-REx). tr exp: Zheng et al. 2018. Weights: Seaman & White 2013.

A missing x_i(t) enters signals as the model's own prediction of it (0, the column's centre, before there is one); it
has no part in the likelihood. Masks are no input of signals: where gaps depend on values, they would point to causes.

Everything is a function of tensors of one data set; torch.func.vmap trains many data sets of one shape at a time.
A model knows values, gaps, regimes and time order. It knows no graph and no number of edges.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import torch
from numpy.random import Generator
from torch import Tensor
from torch.func import grad_and_value, vmap
from torch.nn.functional import binary_cross_entropy_with_logits, softplus

Parameters = dict[str, Tensor]
DIRECTIONLESS = 1e-3  # spread of the first directions: enough to break ties, too little to choose


class Sizes(NamedTuple):
    """Of one data set: d variables, lags, k signal and q corruption channels, hidden units, slow and regime inputs."""

    d: int
    lags: int
    signal: int
    corruption: int
    hidden: int
    slow: int
    regimes: int


class Weights(NamedTuple):
    """What the parts of the loss weigh; `acyclicity` is the last value of a ramp."""

    sparsity: float
    acyclicity: float
    independence: float
    invariance: float
    clip: float


class Rows(NamedTuple):
    """Rows with their past: the newest first along the lags."""

    filled: Tensor  # (B, lags + 1, d) values, gaps filled by the model's predictions
    there: Tensor  # (B, lags + 1, d) 1 where observed
    slow: Tensor  # (B, d, slow)
    regime: Tensor  # (B, regimes) one-hot


class Predicted(NamedTuple):
    mean: Tensor  # (B, d)
    log_scale: Tensor  # (B, d)
    signal: Tensor  # (B, lags + 1, d, k)
    corruption: Tensor  # (B, d, q)


def first_parameters(sizes: Sizes, rng: Generator) -> Parameters:
    """Drawn by the caller's generator: torch's own state has no say."""
    d, k, q, h = sizes.d, sizes.signal, sizes.corruption, sizes.hidden
    inputs = sizes.slow + sizes.regimes

    def normal(*shape: int, spread: float) -> Tensor:
        return torch.from_numpy(spread * rng.standard_normal(shape)).float()

    return {
        "signal_in": normal(d, k - 1, spread=1.0),
        "signal_bias": normal(d, k - 1, spread=0.5),
        "corruption_in": normal(d, inputs, h, spread=max(inputs, 1) ** -0.5),
        "corruption_bias": normal(d, h, spread=0.1),
        "corruption_out": normal(d, h, q, spread=h**-0.5),
        "gate": torch.zeros(d, d),
        "direction": normal(d, d, spread=DIRECTIONLESS),
        "weights": normal(sizes.lags + 1, d, k, d, spread=0.02),
        "keep": torch.full((sizes.regimes, d), 3.0),
        "mean": torch.zeros(d),
        "offset": torch.zeros(d, q),
        "log_scale": torch.zeros(d),
        "scale_shift": torch.zeros(d, q),
        "df": torch.full((d,), 1.0),
        "seen_bias": torch.zeros(d),
        "seen": torch.zeros(d, d, k),
    }


def structure(p: Parameters) -> Tensor:
    """A (d, d) with a diagonal of 0."""
    a = torch.sigmoid(p["gate"] + p["gate"].T) * torch.sigmoid(p["direction"] - p["direction"].T)
    return a * (1 - torch.eye(len(a), device=a.device))


def effects(p: Parameters) -> Tensor:
    """E_l (lags + 1, d, d) between different variables."""
    size = (p["weights"].square().sum(dim=2) + 1e-12).sqrt()
    return structure(p) * size


def predict(p: Parameters, rows: Rows) -> Predicted:
    squashed = 3 * torch.tanh(rows.filled / 3)
    bent = torch.tanh(squashed[..., None] * p["signal_in"] + p["signal_bias"])
    signal = torch.cat((squashed[..., None], bent), dim=-1)

    regime = rows.regime[:, None, :].expand(-1, rows.slow.shape[1], -1)
    known = torch.cat((rows.slow, regime), dim=-1)
    hidden = torch.tanh(torch.einsum("bjf,jfh->bjh", known, p["corruption_in"]) + p["corruption_bias"])
    corruption = torch.tanh(torch.einsum("bjh,jhq->bjq", hidden, p["corruption_out"]))

    a = structure(p)
    own = torch.eye(len(a), device=a.device)
    lagged = a + own  # a variable's own past is always among its parents
    paths = torch.cat((a[None], lagged.expand(p["weights"].shape[0] - 1, -1, -1)))
    mean = signal.flatten(1) @ (paths[:, :, None, :] * p["weights"]).flatten(0, 2)
    mean = mean * (rows.regime @ torch.sigmoid(p["keep"])) + p["mean"] + (corruption * p["offset"]).sum(-1)
    return Predicted(mean, p["log_scale"] + (corruption * p["scale_shift"]).sum(-1), signal, corruption)


def surprise(p: Parameters, rows: Rows, values: Tensor, found: Predicted) -> Tensor:
    """-log Student-t density (B, d), also where nothing was observed: the caller weighs it."""
    df = 2 + softplus(p["df"])
    z = (values - found.mean) * torch.exp(-found.log_scale)
    constant = torch.lgamma((df + 1) / 2) - torch.lgamma(df / 2) - 0.5 * torch.log(math.pi * df)
    return found.log_scale - constant + (df + 1) / 2 * torch.log1p(z.square() / df)


def loss(p: Parameters, rows: Rows, values: Tensor, acyclicity: Tensor, weights: Weights) -> Tensor:
    found = predict(p, rows)
    there = rows.there[:, 0]
    logits = p["seen_bias"] + found.signal[:, 0].detach().flatten(1) @ p["seen"].flatten(1).T
    head = binary_cross_entropy_with_logits(logits, there) + 1e-3 * p["seen"].square().sum()
    propensity = torch.sigmoid(logits.detach())
    share = there.mean(dim=0)
    weight = there * (share / propensity.clamp_min(1e-6)).clamp(1 / weights.clip, weights.clip)

    each = surprise(p, rows, values, found)
    risk = (weight * each).sum(dim=0) / weight.sum(dim=0).clamp_min(1.0)
    e = effects(p)
    cycles = torch.linalg.matrix_exp(e[0].square()).diagonal().sum() - len(e[0])
    total: Tensor = (
        risk.sum()
        - _log_volume(p, found.signal[:, 0], rows.regime)
        + head
        + weights.sparsity * e.sum()
        + acyclicity * cycles
    )
    if weights.independence:
        total = total + weights.independence * shared(found.signal[:, 0], found.corruption)
    if weights.invariance and rows.regime.shape[1] > 1:
        total = total + weights.invariance * _unequal_risks(weight, each, rows.regime)
    return total


def _log_volume(p: Parameters, signal: Tensor, regime: Tensor) -> Tensor:
    """log |det(I - J)|, J_ij = d mu_j / d x_i within a step at the mean slope of i's signal; the mean over regimes."""
    squashed, bent = signal[..., :1], signal[..., 1:]
    slope = 1 - (squashed / 3).square()  # of z = 3 tanh(x / 3)
    slopes = torch.cat((slope, slope * (1 - bent.square()) * p["signal_in"]), dim=-1).mean(dim=0)
    jacobian = structure(p) * (slopes[:, :, None] * p["weights"][0]).sum(dim=1)
    by_regime = torch.sigmoid(p["keep"])[:, None, :] * jacobian
    volumes = torch.linalg.slogdet(torch.eye(len(jacobian), device=jacobian.device) - by_regime)[1]
    volume: Tensor = (regime.mean(dim=0) * volumes).sum()
    return volume


def shared(signal: Tensor, corruption: Tensor, most: int = 32) -> Tensor:
    """Mean over variables of normalised HSIC in [0, 1] between the two parts, of at most so many rows."""
    a, b = _kernel(signal[:most]), _kernel(corruption[:most])
    across = (a * b).sum(dim=(1, 2))
    return (across / ((a * a).sum(dim=(1, 2)) * (b * b).sum(dim=(1, 2)) + 1e-8).sqrt()).mean()


def _kernel(part: Tensor) -> Tensor:
    """(B, d, k) to centred RBF kernels (d, B, B), the width by the mean of squared distances."""
    x = part.transpose(0, 1)
    square = x.square().sum(-1)
    distance = (square[:, :, None] + square[:, None, :] - 2 * x @ x.transpose(1, 2)).clamp_min(0.0)
    width = distance.detach().mean(dim=(1, 2)).clamp_min(1e-4)
    k = torch.exp(-distance / width[:, None, None])
    k = k - k.mean(dim=1, keepdim=True)
    return k - k.mean(dim=2, keepdim=True)


def _unequal_risks(weight: Tensor, each: Tensor, regime: Tensor) -> Tensor:
    mass = regime.T @ weight  # (regimes, d)
    risks = (regime.T @ (weight * each)) / mass.clamp_min(1.0)
    known = (mass > 0).float()
    count = known.sum(dim=0).clamp_min(1.0)
    centre = (known * risks).sum(dim=0) / count
    return ((known * (risks - centre).square()).sum(dim=0) / count).mean()


# ---- training: R data sets of one shape at a time, each with its own parameters, rows and stopping point


class Data(NamedTuple):
    """R data sets on the device. values holds NaN nowhere: what is missing is 0 there and 0 in `there`."""

    values: Tensor  # (R, T, d)
    there: Tensor  # (R, T, d)
    slow: Tensor  # (R, T, d, slow)
    regime: Tensor  # (R, T, regimes)

    def rows(self, filled: Tensor, index: Tensor, lags: int) -> tuple[Rows, Tensor]:
        """The rows index (R, B) with their past, and the values that they try to predict."""
        which = torch.arange(len(index), device=index.device)[:, None]
        past = (index[:, :, None] - torch.arange(lags + 1, device=index.device)).clamp_min(0)
        deep = which[:, :, None]
        rows = Rows(filled[deep, past], self.there[deep, past], self.slow[which, index], self.regime[which, index])
        return rows, self.values[which, index]


class Trained(NamedTuple):
    parameters: Parameters  # each (R, ...), at the best held-out likelihood
    held_out: Tensor  # (R,) -log likelihood of held-out values there, a variable's mean
    stopped: Tensor  # (R,) the step it was reached at
    filled: Tensor  # (R, T, d)


class Schedule(NamedTuple):
    steps: int
    batch: int
    rate: float
    patience: int  # evaluations without a better held-out likelihood after the ramp
    every: int  # steps between evaluations
    ramp: float  # share of the steps over which acyclicity rises


def train(
    data: Data,
    first: Parameters,
    learn: Tensor,
    held_out: Tensor,
    sizes: Sizes,
    weights: Weights,
    plan: Schedule,
    rngs: list[Generator],
) -> Trained:
    """learn (R, n1) and held_out (R, n2) are row numbers of each data set."""
    p = {name: value.clone().requires_grad_() for name, value in first.items()}
    optimiser = torch.optim.Adam(list(p.values()), lr=plan.rate)
    step_of = vmap(grad_and_value(loss), in_dims=(0, 0, 0, None, None))
    filled = data.values.clone()
    kept = {name: value.detach().clone() for name, value in p.items()}
    best = torch.full((len(learn),), math.inf, device=learn.device)
    stopped = torch.zeros(len(learn), dtype=torch.long, device=learn.device)
    ramp = max(1, int(plan.ramp * plan.steps))
    for step in range(plan.steps):
        picked = np.stack([rng.integers(learn.shape[1], size=plan.batch) for rng in rngs])
        index = learn.gather(1, torch.from_numpy(picked).to(learn.device))
        rows, values = data.rows(filled, index, sizes.lags)
        pressure = torch.tensor(weights.acyclicity * min(1.0, step / ramp) ** 2, device=learn.device)
        gradient, _ = step_of(dict(p), rows, values, pressure, weights)
        for name, value in p.items():
            value.grad = _clipped(gradient[name])
        for group in optimiser.param_groups:
            group["lr"] = plan.rate * (0.1 + 0.9 * (1 + math.cos(math.pi * step / plan.steps)) / 2)
        optimiser.step()
        if (step + 1) % plan.every and step + 1 < plan.steps:
            continue
        filled = _filled(p, data, filled, sizes.lags)
        if step + 1 < ramp:
            continue
        now = _held_out(p, data, filled, held_out, sizes.lags)
        better = now < best
        best, stopped = torch.where(better, now, best), torch.where(better, step + 1, stopped)
        for name, value in p.items():
            kept[name] = torch.where(better.view(-1, *[1] * (value.dim() - 1)), value.detach(), kept[name])
        if bool((step + 1 - stopped >= plan.patience * plan.every).all()):
            break
    return Trained(kept, best, stopped, filled)


def _clipped(gradient: Tensor, most: float = 5.0) -> Tensor:
    """Each data set's gradient on its own: none may slow another."""
    finite: Tensor = torch.nan_to_num(gradient.detach())
    factor: Tensor = (most / finite.flatten(1).norm(dim=1).clamp_min(1e-12)).clamp_max(1.0)
    return finite * factor.view(-1, *[1] * (gradient.dim() - 1))


@torch.no_grad()
def _filled(p: Parameters, data: Data, filled: Tensor, lags: int) -> Tensor:
    """Observed values as they are, gaps as the model predicts them."""
    if bool((data.there == 1).all()):
        return filled
    everything = torch.arange(filled.shape[1], device=filled.device).expand(len(filled), -1)
    rows, _ = data.rows(filled, everything, lags)
    guess = vmap(lambda one, some: predict(one, some).mean)(dict(p), rows).clamp(-3, 3)
    return torch.where(data.there == 1, data.values, guess)


@torch.no_grad()
def _held_out(p: Parameters, data: Data, filled: Tensor, index: Tensor, lags: int) -> Tensor:
    """Mean over variables of -log likelihood of held-out values, the volume term included: no cycle looks better."""

    def one(own: Parameters, rows: Rows, values: Tensor) -> Tensor:
        found, there = predict(own, rows), rows.there[:, 0]
        each = (there * surprise(own, rows, values, found)).sum(dim=0) / there.sum(dim=0).clamp_min(1.0)
        return each.mean() - _log_volume(own, found.signal[:, 0], rows.regime) / len(each)

    return torch.nan_to_num(vmap(one)(dict(p), *data.rows(filled, index, lags)), nan=math.inf)
