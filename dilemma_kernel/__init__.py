"""The ground floor: what every room speaks. It imports none of them."""
