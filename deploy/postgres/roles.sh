#!/bin/bash
# Makes the product's roles and databases, and gives the roles that are there the passwords of the environment: run it
# again after a change. The image of Postgres runs it when it makes its data folder. On a Postgres elsewhere
# ADMIN_DATABASE_URL is its address with an administrator, who need not be a superuser: CREATEROLE and CREATEDB suffice
# (docker compose run --rm roles; docs/operations.md).
#
# The owner runs migrations; each process has a role of its own, which owns nothing and gets its rights from them
# (models/store/grants.go); the identity provider has a schema of its own; Temporal has databases of its own and no way
# into ours. tradepost_app is named by the migrations of releases that had one role for all processes: nothing connects
# as it. The archive's role replicates and enters no database of them.
#
# IDENTITY_PASSWORD, TEMPORAL_PASSWORD and BACKUP_PASSWORD are empty where nothing uses that role: it is left out.
set -euo pipefail

# As the image does with its own, a secret may be a file (docker-compose.secrets.yml).
for name in OWNER API CORE PAYMENTS EXCHANGE CUSTODY OPERATOR IDENTITY TEMPORAL BACKUP; do
  file=${name}_PASSWORD_FILE
  if [ -n "${!file:-}" ]; then export "${name}_PASSWORD=$(<"${!file}")"; fi
done
if [ -n "${ADMIN_DATABASE_URL_FILE:-}" ]; then ADMIN_DATABASE_URL=$(<"$ADMIN_DATABASE_URL_FILE"); fi
for name in OWNER API CORE PAYMENTS EXCHANGE CUSTODY OPERATOR; do
  password=${name}_PASSWORD
  : "${!password:?$password is missing}"
done

# By the socket of this machine, unless an address is spoken of.
admin=${ADMIN_DATABASE_URL-postgresql://postgres@/postgres}
: "${admin:?ADMIN_DATABASE_URL is missing}"
# psql reads the administrator's password from the environment: every user of the machine can read the arguments of a
# program.
if [[ $admin =~ ^(postgres(ql)?://[^:@/]*):([^@/]*)(@.*)$ ]]; then
  admin=${BASH_REMATCH[1]}${BASH_REMATCH[4]} backslash='\'
  password=${BASH_REMATCH[3]//"$backslash"/"$backslash$backslash"}
  printf -v PGPASSWORD %b "${password//%/\\x}"
  export PGPASSWORD
fi
sql() { psql --no-psqlrc --quiet --set ON_ERROR_STOP=1 --dbname "$admin"; }

# role prints what makes a role, or changes the password of one that is there: its name, the variable of its password,
# and what else it is.
role() {
  cat <<SQL
\getenv password $2
SELECT 'CREATE ROLE $1 LOGIN $3' WHERE NOT EXISTS (SELECT FROM pg_roles WHERE rolname = '$1') \gexec
ALTER ROLE $1 LOGIN PASSWORD :'password';
SQL
}

# database prints what makes a database of an owner, closed to all others. Text sorts as in the cluster that compose
# makes.
database() {
  cat <<SQL
SELECT 'CREATE DATABASE $1 OWNER $2 TEMPLATE template0 ENCODING ''UTF8'' LOCALE_PROVIDER libc LOCALE ''C''' WHERE NOT EXISTS (SELECT FROM pg_database WHERE datname = '$1') \gexec
REVOKE CONNECT ON DATABASE $1 FROM PUBLIC;
SQL
}

# Who is no superuser makes what belongs to a role only as a member of it, and is one no longer than that.
owners="tradepost_owner ${IDENTITY_PASSWORD:+tradepost_identity} ${TEMPORAL_PASSWORD:+temporal}"
processes=(api core payments exchange custody operator)
{
  role tradepost_owner OWNER_PASSWORD ''
  cat <<'SQL'
SELECT 'CREATE ROLE tradepost_app NOLOGIN' WHERE NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'tradepost_app') \gexec
SQL
  for name in "${processes[@]}"; do role "tradepost_$name" "${name^^}_PASSWORD" ''; done
  if [ -n "${IDENTITY_PASSWORD:-}" ]; then role tradepost_identity IDENTITY_PASSWORD ''; fi
  if [ -n "${TEMPORAL_PASSWORD:-}" ]; then role temporal TEMPORAL_PASSWORD ''; fi
  for name in $owners; do echo "GRANT $name TO CURRENT_USER WITH INHERIT TRUE, SET TRUE;"; done
  database tradepost tradepost_owner
  for name in "${processes[@]}"; do echo "GRANT CONNECT ON DATABASE tradepost TO tradepost_$name;"; done
  if [ -n "${TEMPORAL_PASSWORD:-}" ]; then
    database temporal temporal
    database temporal_visibility temporal
  fi
  if [ -n "${IDENTITY_PASSWORD:-}" ]; then
    cat <<'SQL'
ALTER ROLE tradepost_identity SET search_path = identity;
GRANT CONNECT ON DATABASE tradepost TO tradepost_identity;
\connect tradepost
CREATE SCHEMA IF NOT EXISTS identity AUTHORIZATION tradepost_identity;
SQL
  fi
  for name in $owners; do echo "REVOKE $name FROM CURRENT_USER;"; done
} | sql

# Apart from all others: to make a role that replicates takes an administrator who does, or a superuser, and where the
# host of Postgres keeps backups there is no need of one.
if [ -n "${BACKUP_PASSWORD:-}" ]; then
  role tradepost_backup BACKUP_PASSWORD REPLICATION | sql || {
    echo "All roles but tradepost_backup are made. Its administrator needs REPLICATION; where the host of Postgres keeps" \
      "backups, leave BACKUP_PASSWORD empty." >&2
    exit 1
  }
fi
