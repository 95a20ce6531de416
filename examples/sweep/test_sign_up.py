from sign_up import is_let_in, sign_up


def test_a_customer_who_signs_up_is_let_in():
    assert is_let_in(sign_up("customer_1"))
