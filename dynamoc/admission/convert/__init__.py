"""v1alpha1 ⇄ v1beta1 as the operator converts them."""
