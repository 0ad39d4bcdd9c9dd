//! Where the rules in force come from: the catalog, a file, or a demonstration.
