use std::num::NonZeroU32;

/// The index of a node's first word in the arena. It is never 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct NodeId(NonZeroU32);

impl NodeId {
    /// The node with this handle; `None` for 0, which stands for no node.
    #[inline]
    pub(crate) fn from_handle(handle: u32) -> Option<NodeId> {
        NonZeroU32::new(handle).map(NodeId)
    }

    #[inline]
    pub(crate) fn handle(self) -> u32 {
        self.0.get()
    }
}
