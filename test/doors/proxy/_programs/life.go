// Makes a key, lists it, verifies it, and calls what latchkey does not serve.
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
)

func post(name string, value any) (int, map[string]any) {
	body, _ := json.Marshal(value)
	request, _ := http.NewRequest("POST", "https://api.unkey.com/v2/"+name, bytes.NewReader(body))
	request.Header.Set("Authorization", "Bearer any")
	request.Header.Set("Content-Type", "application/json")
	reply, err := http.DefaultClient.Do(request)
	if err != nil {
		panic(err)
	}
	defer reply.Body.Close()
	var result map[string]any
	json.NewDecoder(reply.Body).Decode(&result)
	return reply.StatusCode, result
}

func main() {
	_, created := post("keys.createKey", map[string]any{"apiId": "api_local"})
	made := created["data"].(map[string]any)
	_, listed := post("apis.listKeys", map[string]any{"apiId": "api_local"})
	for _, item := range listed["data"].([]any) {
		if item.(map[string]any)["keyId"] == made["keyId"] {
			fmt.Println("listed")
		}
	}
	_, verified := post("keys.verifyKey", map[string]any{"key": made["key"]})
	if verified["data"].(map[string]any)["valid"] == true {
		fmt.Println("valid")
	}
	status, _ := post("projects.getProject", map[string]any{"project": "shop"})
	fmt.Println(status)
}
