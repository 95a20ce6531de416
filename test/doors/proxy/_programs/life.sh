# Makes a key, lists it, verifies it, and calls what latchkey does not serve, with curl.
set -e
base=https://api.unkey.com/v2
post() {
  curl --silent --show-error --header "Authorization: Bearer any" \
    --header "Content-Type: application/json" --data "$2" --write-out "$3" "$base/$1"
}
created=$(post keys.createKey '{"apiId":"api_local"}')
id=$(echo "$created" | sed 's/.*"keyId":"\([^"]*\)".*/\1/')
key=$(echo "$created" | sed 's/.*"key":"\([^"]*\)".*/\1/')
post apis.listKeys '{"apiId":"api_local"}' | grep --quiet "\"$id\"" && echo listed
post keys.verifyKey "{\"key\":\"$key\"}" | grep --quiet '"valid":true' && echo valid
post projects.getProject '{"project":"shop"}' "\n%{http_code}\n" | tail -1
