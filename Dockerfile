# The release binary. Results are written to /data:
#
#   docker build --tag neardup .
#   docker run --rm --user "$(id -u):$(id -g)" --volume "$PWD:/data" neardup dedup articles.parquet --text body
#
# The two stages have the same Debian release, so that the binary finds the C library that it was linked with.

FROM rust:1.95-trixie AS build
WORKDIR /src
COPY . .
RUN --mount=type=cache,target=/usr/local/cargo/registry \
    --mount=type=cache,target=/target \
    CARGO_TARGET_DIR=/target cargo build --release --locked --package datafusion-neardup-cli \
    && install -D /target/release/neardup /out/neardup

FROM debian:trixie-slim
# Object stores are reached over TLS.
RUN apt-get update \
    && apt-get install --yes --no-install-recommends ca-certificates \
    && rm -rf /var/lib/apt/lists/* \
    && useradd --uid 1000 --create-home neardup \
    && install --directory --owner neardup --group neardup /data
COPY --from=build /out/neardup /usr/local/bin/neardup
COPY LICENSE /usr/share/doc/neardup/LICENSE
USER neardup
WORKDIR /data
ENTRYPOINT ["neardup"]
