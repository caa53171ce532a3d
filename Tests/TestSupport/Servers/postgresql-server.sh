# Runs a PostgreSQL server for the tests, as a user other than root. The server and its folder are removed when the
# input ends, also if the tests crash.
# usage: postgresql-server.sh PROGRAMS FOLDER PORT FSYNC    (creates FOLDER, with the socket, the data and the log)
# input: start | stop (immediate, like a loss of power) | quit; each command gets one line as response
programs=$1 folder=$2 port=$3 fsync=$4
pid=
umask 077
mkdir "$folder" || exit 1
trap 'stop; rm -rf "$folder"' EXIT
trap '' INT
stop() { [ -z "$pid" ] || { kill -CONT "$pid"; kill -QUIT "$pid"; wait "$pid"; } 2>/dev/null; pid=; }
printf 'right' >"$folder/password"
"$programs/initdb" --no-sync -D "$folder/data" -U owner --auth-local=trust --auth-host=scram-sha-256 \
  --pwfile="$folder/password" -E UTF8 --locale=C >"$folder/initdb.log" 2>&1 || { cat "$folder/initdb.log" >&2; exit 1; }
# Creates a certificate for localhost, signed by a new authority that clients do not trust.
if command -v openssl >/dev/null; then
  (
    cd "$folder" || exit
    key="-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes"
    openssl req -x509 $key -days 2 -subj /CN=root -keyout root.key -out root.crt
    openssl req $key -subj /CN=localhost -keyout data/server.key -out server.csr
    echo subjectAltName=DNS:localhost >names
    openssl x509 -req -in server.csr -CA root.crt -CAkey root.key -CAcreateserial -days 2 -extfile names -out data/server.crt
  ) >"$folder/openssl.log" 2>&1 && echo 'ssl = on' >>"$folder/data/postgresql.conf"
fi
cat >>"$folder/data/postgresql.conf" <<END
listen_addresses = '127.0.0.1'
port = $port
unix_socket_directories = '$folder'
fsync = $fsync
max_connections = 200
END
echo made
while read -r order; do
  case $order in
    start)
      "$programs/postgres" -D "$folder/data" </dev/null >>"$folder/log" 2>&1 &
      pid=$!
      echo "$pid" ;;
    stop) stop; echo stopped ;;
    quit) break ;;
  esac
done
