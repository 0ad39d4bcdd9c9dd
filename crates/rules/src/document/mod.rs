//! What somebody wrote: rules as YAML or JSON.
