# One image for every role: `docker run slipway serve --role worker`, `docker run slipway migrate`, …

FROM node:20-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
# No package needs its install script, and our own `prepare` would build before the sources are here.
RUN npm ci --ignore-scripts
COPY . .
RUN npm run build && npm prune --omit=dev --ignore-scripts
# The examples are agent projects, which bring their own framework: here in the versions it is tested with.
RUN npm install --prefix examples --no-save --no-package-lock --ignore-scripts --no-audit --no-fund \
  $(node -p "const { devDependencies } = require('./package.json'); \
    ['@langchain/core', '@langchain/langgraph'].map((name) => name + '@' + devDependencies[name]).join(' ')")

# What clients build agents on: `docker build --target agent -t slipway-agent:20 .`, then `langgraph deploy --no-remote
# --base-image slipway-agent`. They install packages in it, which takes root, and it serves the project of its folder.
FROM node:20-bookworm-slim AS agent
# git fetches the sources of deployments, over ssh too; the certificates are for TLS to Temporal; pip fetches uv; nftables
# and slirp4netns make the network fence.
RUN apt-get update \
  && apt-get install -y --no-install-recommends ca-certificates git nftables openssh-client python3 python3-pip \
    python3-venv slirp4netns \
  && rm -rf /var/lib/apt/lists/*
COPY --from=build /app /app
ENV NODE_ENV=production HOST=0.0.0.0
# Images built on this one run graph hosts; the docker driver runs their server in another container.
LABEL slipway.host=true
ENTRYPOINT ["node", "/app/dist/bin/slipway.js"]
CMD ["serve"]

FROM agent
RUN install -d -o node -g node /data
WORKDIR /app
ENV SLIPWAY_DATA_DIR=/data
USER node
VOLUME /data
EXPOSE 2024
CMD ["--help"]
