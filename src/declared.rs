//! Declarations that follow the servers.
//!
//! Servers change their tools while they run. Whoever asks gets the declarations of the catalogue as
//! it is; as long as that stays the same they are the same, and what is new in it is all that is
//! worked on.

use broker::Broker;
use std::sync::{Arc, Mutex, PoisonError};
use stubgen::Declarations;

/// The declarations of what a broker can call.
#[derive(Default)]
pub(crate) struct Declared(Mutex<State>);

#[derive(Default)]
struct State {
    /// What the declarations are of.
    of: Option<Arc<broker::Catalogue>>,
    catalogue: stubgen::Catalogue,
    declarations: Arc<Declarations>,
}

impl Declared {
    /// The declarations of the tools as they are now.
    pub(crate) fn now(&self, broker: &Broker) -> Arc<Declarations> {
        let current = broker.catalogue();
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let is_known = state.of.as_ref().is_some_and(|of| Arc::ptr_eq(of, &current));
        if !is_known {
            state.catalogue.update(current.tools().map(described));
            state.declarations = Arc::new(state.catalogue.declare());
            state.of = Some(current);
        }
        Arc::clone(&state.declarations)
    }
}

fn described(tool: &broker::Tool) -> stubgen::Tool {
    let hints = tool.annotations;
    stubgen::Tool {
        server: tool.server.clone(),
        name: tool.name.clone(),
        title: tool.title.clone(),
        description: tool.description.clone(),
        input_schema: tool.input_schema.clone(),
        output_schema: tool.output_schema.clone(),
        annotations: stubgen::Annotations {
            read_only: hints.read_only,
            destructive: hints.destructive,
            idempotent: hints.idempotent,
            open_world: hints.open_world,
        },
    }
}
