# The quickstart in a box:  docker build -t trueness .  then  docker run -v "$PWD/results:/trueness/results" trueness
FROM python:3.12-slim
RUN apt-get update && apt-get install -y --no-install-recommends make && rm -rf /var/lib/apt/lists/*
WORKDIR /trueness
COPY . .
RUN make setup-run
ENV PATH="/trueness/.venv/bin:$PATH"
CMD ["trueness", "run"]
