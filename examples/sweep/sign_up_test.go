package sweep

import "testing"

func TestCustomerWhoSignsUpIsLetIn(t *testing.T) {
	key, err := SignUp("customer_1")
	if err != nil {
		t.Fatal(err)
	}
	if !IsLetIn(key) {
		t.Fatal("expected to be let in")
	}
}
