#!/bin/sh
# Moves the secrets of .env, here, into files of SECRETS_DIR (./secrets), which docker-compose.secrets.yml mounts. What
# it leaves in .env is the name of the file. Run it again after .env was given a new secret or another POSTGRES_HOST; a
# file is changed by hand as well.
set -eu
umask 077

# value prints what .env has last for a name, without quotes around it or a comment behind it, as compose reads it.
value() {
  sed -n -e "/^$1=/!b end" -e "s/^$1=//" -e "t plain" -e ":plain" \
    -e "s/^'\([^']*\)'.*/\1/" -e "t keep" -e 's/^"\([^"]*\)".*/\1/' -e "t keep" \
    -e 's/[[:space:]]\{1,\}#.*//' -e 's/[[:space:]]*$//' -e ":keep" -e "h" -e ":end" -e '${x;p;}' .env
}

: "${SECRETS_DIR:=$(value SECRETS_DIR)}"
: "${SECRETS_DIR:=./secrets}"
mkdir -p "$SECRETS_DIR"
chmod go-rwx "$SECRETS_DIR" # also one that was there: all may read the files in it
shown=${SECRETS_DIR#./} # as .env is left

# keep writes a file; containers read it as users of their own, and the folder is closed to all others.
keep() {
  rm -f "$SECRETS_DIR/$1.new"
  printf '%s' "$2" >"$SECRETS_DIR/$1.new"
  chmod 444 "$SECRETS_DIR/$1.new"
  mv -f "$SECRETS_DIR/$1.new" "$SECRETS_DIR/$1"
}

# What stands in .env for a secret that has a file: earlier runs wrote it with "secrets" for any folder.
moved() { [ "$2" = "$shown/$1" ] || [ "$2" = "secrets/$1" ]; }

names=$(sed -n 's|^  \([A-Z_]*\): {file: .*|\1|p' "$(dirname "$0")/../docker-compose.secrets.yml")
for name in $names; do
  case $name in ADMIN_DATABASE_URL) ;; *_DATABASE_URL) continue ;; esac
  given=$(value "$name")
  if moved "$name" "$given"; then
    [ -e "$SECRETS_DIR/$name" ] || { echo "$SECRETS_DIR/$name is gone, and .env names it" >&2; exit 1; }
  elif [ -n "$given" ] || [ ! -e "$SECRETS_DIR/$name" ]; then
    keep "$name" "$given"
  fi
done

# Addresses are made of passwords: of the Postgres of compose, or of the one at POSTGRES_HOST, by TLS.
host=$(value POSTGRES_HOST)
if [ -n "$host" ]; then security=verify-full; else host=postgres:5432 security=disable; fi
address() { # of a role, its password and a database; none without a password
  if [ -n "$2" ]; then printf '%s' "postgres://$1:$2@$host/$3?sslmode=$security"; fi
}
for name in $names; do
  case $name in
    ADMIN_DATABASE_URL) continue ;;
    BACKUP_DATABASE_URL) database=postgres ;;
    *_DATABASE_URL) database=tradepost ;;
    *) continue ;;
  esac
  role=${name%_DATABASE_URL}
  keep "$name" "$(address "tradepost_$(echo "$role" | tr '[:upper:]' '[:lower:]')" "$(cat "$SECRETS_DIR/${role}_PASSWORD")" "$database")"
done
if [ "$security" = disable ]; then
  keep ADMIN_DATABASE_URL "$(address postgres "$(cat "$SECRETS_DIR/POSTGRES_PASSWORD")" postgres)"
fi

# At last, since .env was the only place they stood in.
set --
for name in $names; do
  set -- "$@" -e "s|^$name=..*|$name=$shown/$name|"
done
sed "$@" .env >.env.new
mv -f .env.new .env
