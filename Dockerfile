# The gate with the tools that it renders with. docker run --rm -v "$PWD:/repo" IMAGE check --base origin/main
FROM node:24-alpine AS tools
WORKDIR /build
COPY . .
# The helm and kubectl that the tests run, with their digests checked.
RUN npm ci --ignore-scripts && npm run tools && mkdir /out && cp -L .tools/bin/helm .tools/bin/kubectl /out/

FROM node:24-alpine
RUN apk add --no-cache git
COPY --from=tools /out/ /usr/local/bin/
COPY package.json LICENSE /opt/ingress-guard/
COPY dist /opt/ingress-guard/dist
COPY docs /opt/ingress-guard/docs
COPY incidents /opt/ingress-guard/incidents
COPY policies /opt/ingress-guard/policies
COPY schemas /opt/ingress-guard/schemas
# The mounted repository belongs to another user; it is only read.
RUN git config --system --add safe.directory '*'
USER node
WORKDIR /repo
ENTRYPOINT ["node", "/opt/ingress-guard/dist/cli.cjs"]
