<?php
// Makes a key, lists it, verifies it, and calls what latchkey does not serve, with the extension curl.
function post($name, $value) {
  $call = curl_init("https://api.unkey.com/v2/$name");
  curl_setopt_array($call, [
    CURLOPT_POSTFIELDS => json_encode($value),
    CURLOPT_HTTPHEADER => ["Authorization: Bearer any", "Content-Type: application/json"],
    CURLOPT_RETURNTRANSFER => true,
  ]);
  $text = curl_exec($call);
  if ($text === false) exit(curl_error($call) . "\n");
  return [curl_getinfo($call, CURLINFO_HTTP_CODE), json_decode($text, true)];
}

$made = post("keys.createKey", ["apiId" => "api_local"])[1]["data"];
$listed = post("apis.listKeys", ["apiId" => "api_local"])[1]["data"];
if (in_array($made["keyId"], array_column($listed, "keyId"))) echo "listed\n";
if (post("keys.verifyKey", ["key" => $made["key"]])[1]["data"]["valid"]) echo "valid\n";
echo post("projects.getProject", ["project" => "shop"])[0], "\n";
