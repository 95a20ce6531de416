# latchkey in a container: docker build --tag latchkey .
# docs/containers.md explains the options, the control token and the volume.

FROM node:22-alpine AS package
WORKDIR /source
COPY package.json package-lock.json ./
# The scripts of dependencies download what only the tests need.
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY . .
RUN npm pack --pack-destination /package

FROM node:22-alpine
COPY --from=package /package/*.tgz /tmp/latchkey.tgz
RUN npm install --global --no-audit --no-fund /tmp/latchkey.tgz \
  && rm /tmp/latchkey.tgz \
  && mkdir /data \
  && chown node:node /data
USER node
WORKDIR /data
# Fixtures are read from here, and `--state` writes here.
VOLUME /data
EXPOSE 4010
# latchkey saves its state on SIGTERM, which is what `docker stop` sends.
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=2s --start-period=5s --retries=3 \
  CMD wget --proxy off --quiet --output-document=- "http://127.0.0.1:${LATCHKEY_PORT:-4010}/_latchkey/ready"
# Variables, so that options of `docker run` override them, and the command may be another than serve.
ENV LATCHKEY_HOST=0.0.0.0 LATCHKEY_ALLOW_HOST=latchkey
ENTRYPOINT ["latchkey"]
CMD []
