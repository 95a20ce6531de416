# Makes a key, lists it, verifies it, and calls what latchkey does not serve.
require "json"
require "net/http"

def post(name, value)
  headers = { "Authorization" => "Bearer any", "Content-Type" => "application/json" }
  reply = Net::HTTP.post(URI("https://api.unkey.com/v2/#{name}"), JSON.dump(value), headers)
  [reply.code, JSON.parse(reply.body)]
end

made = post("keys.createKey", { apiId: "api_local" })[1]["data"]
listed = post("apis.listKeys", { apiId: "api_local" })[1]["data"]
puts "listed" if listed.any? { |key| key["keyId"] == made["keyId"] }
puts "valid" if post("keys.verifyKey", { key: made["key"] })[1]["data"]["valid"]
puts post("projects.getProject", { project: "shop" })[0]
