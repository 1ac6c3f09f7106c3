//! The weights of a tap as the AVX2 kernel takes them: groups of input channels in chains.
//!
//! AVX2 multiplies bytes and adds the products in pairs into 16 bits. To widen these sums to 32
//! bits takes another multiplication. So the kernel adds the sums of a whole chain of groups before
//! it widens them. The weights decide which groups can stand in one chain.

use super::layer::{CHANNELS, ChannelGroup};

/// The lengths of chains that the kernel is compiled for, for channels and then for planes, the
/// fewest chains first: a bit for each group, from the lowest, set for the last one of a chain.
pub(super) const SHAPES: [u8; 6] = [0b1000_1000, 0b1010_0100, 0b1010_1010, 0b1111_1111, 0b1_0100, 0b1_1111];

/// A tap whose groups stand in chains. The products of a chain can be added in 16 bits, whatever
/// the activations are.
#[derive(Clone, Debug)]
pub(super) struct ChainedTap {
    /// The index of its shape in [`SHAPES`].
    pub(super) shape: usize,
    /// The groups, chain by chain.
    pub(super) groups: Vec<u8>,
    /// Their weights.
    pub(super) weights: Vec<ChannelGroup>,
}

impl ChainedTap {
    pub(super) fn new(tap: &[ChannelGroup]) -> ChainedTap {
        let sums: Vec<ExtremeSums> = tap.iter().map(ExtremeSums::of).collect();
        let mut groups = Vec::new();
        let shape = SHAPES.iter().position(|&ends| {
            ends.ilog2() as usize + 1 == tap.len()
                && fill_chains(&sums, ends, &ExtremeSums::NONE, &mut groups)
        });
        let shape = shape.expect("8 groups of channels or 5 of planes, of which each fits alone");
        let weights = groups.iter().map(|&group| tap[usize::from(group)]).collect();
        ChainedTap { shape, groups, weights }
    }
}

/// Adds the groups that are not in `order` to it, so that every chain fits; the last group stands in
/// `chain`. Returns false, with `order` as it was, if there is no such order.
fn fill_chains(groups: &[ExtremeSums], ends: u8, chain: &ExtremeSums, order: &mut Vec<u8>) -> bool {
    let (chain, first) = match order.last() {
        _ if order.len() == groups.len() => return true,
        // In ascending order, since the order within a chain does not matter.
        Some(&last) if ends >> (order.len() - 1) & 1 == 0 => (chain, last + 1),
        _ => (&ExtremeSums::NONE, 0),
    };
    (first..groups.len() as u8).any(|group| {
        let longer = chain.plus(&groups[usize::from(group)]);
        if order.contains(&group) || !longer.fit() {
            return false;
        }
        order.push(group);
        let is_filled = fill_chains(groups, ends, &longer, order);
        if !is_filled {
            order.pop();
        }
        is_filled
    })
}

/// The largest and the smallest value of each 16-bit sum of a chain, over the largest activation.
#[derive(Clone, Copy)]
struct ExtremeSums {
    most: [i16; 2 * CHANNELS],
    least: [i16; 2 * CHANNELS],
}

impl ExtremeSums {
    const NONE: ExtremeSums = ExtremeSums { most: [0; 2 * CHANNELS], least: [0; 2 * CHANNELS] };

    fn of(group: &ChannelGroup) -> ExtremeSums {
        let mut sums = ExtremeSums::NONE;
        for (at, &weight) in group.0.as_flattened().iter().enumerate() {
            sums.most[at / 2] += i16::from(weight.max(0));
            sums.least[at / 2] += i16::from(weight.min(0));
        }
        sums
    }

    fn plus(&self, other: &ExtremeSums) -> ExtremeSums {
        let mut sums = *self;
        sums.most.iter_mut().zip(other.most).for_each(|(sum, more)| *sum += more);
        sums.least.iter_mut().zip(other.least).for_each(|(sum, more)| *sum += more);
        sums
    }

    /// True if no sum leaves 16 bits.
    fn fit(&self) -> bool {
        const MOST_ACTIVE: i16 = 127;
        self.most.iter().all(|&most| most <= i16::MAX / MOST_ACTIVE)
            && self.least.iter().all(|&least| least >= i16::MIN / MOST_ACTIVE)
    }
}
