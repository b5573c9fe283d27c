#!/bin/bash
# Run once by the postgres image, when it makes its data folder: the product's
# roles and databases. The owner runs migrations; the application's role gets
# its grants from them and owns nothing; the identity provider has a schema of
# its own; Temporal has databases of its own and no way into ours; the archive's
# role replicates and enters no database of them.
set -euo pipefail

psql --set ON_ERROR_STOP=1 --username postgres \
  --set owner="$OWNER_PASSWORD" --set app="$APP_PASSWORD" \
  --set identity="$IDENTITY_PASSWORD" --set temporal="$TEMPORAL_PASSWORD" \
  --set backup="$BACKUP_PASSWORD" <<'SQL'
CREATE ROLE tradepost_owner LOGIN PASSWORD :'owner';
CREATE ROLE tradepost_app LOGIN PASSWORD :'app';
CREATE ROLE tradepost_identity LOGIN PASSWORD :'identity';
ALTER ROLE tradepost_identity SET search_path = identity;
CREATE ROLE temporal LOGIN PASSWORD :'temporal';
CREATE ROLE tradepost_backup LOGIN REPLICATION PASSWORD :'backup';
CREATE DATABASE tradepost OWNER tradepost_owner;
CREATE DATABASE temporal OWNER temporal;
CREATE DATABASE temporal_visibility OWNER temporal;
REVOKE CONNECT ON DATABASE tradepost, temporal, temporal_visibility FROM PUBLIC;
GRANT CONNECT ON DATABASE tradepost TO tradepost_app, tradepost_identity;
\connect tradepost
CREATE SCHEMA identity AUTHORIZATION tradepost_identity;
SQL
