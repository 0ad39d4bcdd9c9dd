//! Addresses against a model.
