# One image with every program of the product and the built web app. What runs
# is chosen by the command: /app/api, /app/core, /app/payments, /app/exchange,
# /app/custody or /app/identity.

FROM node:24-bookworm-slim AS web
WORKDIR /src/web
COPY web/package.json web/package-lock.json web/.npmrc ./
RUN npm ci --no-audit --no-fund
COPY web/ ./
RUN npm run build

FROM golang:1.26.8-bookworm AS programs
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
ENV CGO_ENABLED=0
RUN go build -trimpath -ldflags='-s -w' -o /app/ ./worker/core ./worker/payments ./worker/exchange ./worker/custody \
 && go build -trimpath -ldflags='-s -w' -o /app/api ./api/server \
 && go build -trimpath -ldflags='-s -w' -o /app/identity ./internal/identity/server

# No shell, no package manager, not root.
FROM gcr.io/distroless/static-debian12:nonroot
COPY --from=programs /app/ /app/
COPY --from=web /src/web/dist/ /app/web/
ENV MODE=production WEB_DIR=/app/web LISTEN=0.0.0.0:8080
EXPOSE 8080
USER nonroot
CMD ["/app/api", "serve"]
