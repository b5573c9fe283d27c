# One image with every program of the product and the built web app. What runs
# is chosen by the command: /app/api, /app/core, /app/payments, /app/exchange,
# /app/custody, /app/backup or /app/identity. No simulator is in it (.dockerignore).

FROM node:24.21.0-bookworm-slim AS web
WORKDIR /src/web
COPY web/package.json web/package-lock.json web/.npmrc ./
RUN --mount=type=cache,target=/root/.npm npm ci --no-audit --no-fund
COPY web/ ./
RUN npm run build

FROM golang:1.26.8-bookworm AS programs
WORKDIR /src
ENV CGO_ENABLED=0 GOFLAGS="-trimpath -tags=nomsgpack"
COPY go.mod go.sum ./
RUN --mount=type=cache,target=/go/pkg/mod go mod download
COPY . .
# Which release this is: every program says it by --version, its /healthz and its metrics.
ARG TRADEPOST_VERSION
ENV LDFLAGS="-s -w -X github.com/prometheus/common/version.Version=${TRADEPOST_VERSION}"
RUN --mount=type=cache,target=/go/pkg/mod --mount=type=cache,target=/root/.cache/go-build \
    go build -ldflags="$LDFLAGS" -o /app/ ./worker/core ./worker/payments ./worker/exchange ./worker/custody ./backup ./deploy/probe \
 && go build -ldflags="$LDFLAGS" -o /app/api ./api/server \
 && go build -ldflags="$LDFLAGS" -o /app/identity ./internal/identity/server

# Postgres with what restores it: docker compose run --rm restore.
FROM postgres:18.4 AS restore
COPY --from=programs /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/ca-certificates.crt
COPY --from=programs /app/backup /usr/local/bin/backup
USER postgres
ENTRYPOINT ["backup", "restore"]

# Nothing but our programs and the certificates they trust: no shell, no
# package manager, not root.
FROM scratch AS product
COPY --from=programs /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/ca-certificates.crt
COPY --from=programs /app/ /app/
COPY --from=web /src/web/dist/ /app/web/
ENV MODE=production WEB_DIR=/app/web
USER 65532:65532
CMD ["/app/api", "serve"]
