# The server with an embedded database: docs/running.md says how to run it.

FROM node:24-bookworm-slim AS build
WORKDIR /build
COPY . .
RUN npm ci && npm run build
# Types and source maps are for developers.
RUN npm prune --omit=dev \
 && find node_modules -type f '(' -name '*.d.*ts' -o -name '*.d.ts' -o -name '*.map' ')' -delete

# Node comes with the packages: the version that the tests run on.
FROM debian:bookworm-slim
# hadolint ignore=DL3008
RUN apt-get update \
 && apt-get install --yes --no-install-recommends bubblewrap ca-certificates python3 python3-pip \
 && apt-get clean \
 && rm -rf /var/lib/apt/lists/* \
 && useradd --uid 1000 --home-dir /data --no-create-home cairn \
 && install --directory --owner=cairn --group=cairn --mode=700 /data \
 && ln -s /app/dist/cairn.mjs /usr/local/bin/cairn
WORKDIR /app
COPY --from=build /build/node_modules node_modules
COPY --from=build /build/migrations migrations
COPY --from=build /build/dist dist
COPY --from=build /build/console/dist console/dist
COPY --from=build /build/package.json /build/openapi.json ./
ENV PATH=/app/node_modules/.bin:$PATH HOST=0.0.0.0 CAIRN_DATA_DIR=/data
USER 1000
WORKDIR /data
VOLUME /data
EXPOSE 8283
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT || 8283}/v1/ready/`).then(({ ok }) => process.exit(ok ? 0 : 1))"]
ENTRYPOINT ["cairn"]
