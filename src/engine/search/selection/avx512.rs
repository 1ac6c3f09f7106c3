//! Selection with AVX-512. It scores the edges of a group side by side and gives the same bits as one
//! by one.

use std::arch::asm;
use std::arch::x86_64::*;

use super::{Gains, Selection};
use crate::game::{HalfMove, Square};
use crate::search::atomics::AtomicU64;
use crate::search::edge::{PROOF, Proof, STATIC_VALUE, Statistics, TO, UNIT};
use crate::search::node::{EdgeGroup, GROUP};

// The edges of a group fill a register.
const _: () = assert!(GROUP == 8 && Statistics::WORDS == 2);
// The model checker's atomics are no plain words.
const _: () = assert!(size_of::<AtomicU64>() == 8);

/// The packed move at the places after a group's last edge: it is lost.
const MISSING: i64 = (Proof::Loss as i64) << PROOF;

/// The edge with the greatest score, the first among equals; `None` if all are lost.
#[target_feature(enable = "avx512f,avx512bw,avx512dq")]
pub(super) fn select(selection: &Selection<'_>) -> Option<usize> {
    let Gains { means, squares, .. } = selection.gains;
    if squares >= Square::INDICES {
        return best(selection, |packed| queen_means(packed, means));
    }
    let means: &[u16; Square::INDICES] = means.first_chunk().expect("there are more");
    // SAFETY: both types have the same size, and every pattern of bits is a register.
    let registers = unsafe { std::mem::transmute_copy::<_, [__m512i; 4]>(means) };
    best(selection, |packed| arrow_means(packed, &registers))
}

/// The edge with the greatest score by these means of RAVE, 0 where there is none.
///
/// It compares lanes over all groups first and the lanes at the end: a branch for each group costs more,
/// since the processor often foresees it wrongly.
#[target_feature(enable = "avx512f,avx512bw,avx512dq")]
#[inline]
fn best(selection: &Selection<'_>, means: impl Fn(__m512i) -> __m512i) -> Option<usize> {
    let mut greatest = _mm512_set1_pd(f64::NEG_INFINITY);
    let mut places = _mm512_setzero_si512();
    let mut here = _mm512_set_epi64(7, 6, 5, 4, 3, 2, 1, 0);
    for group in selection.node.groups() {
        let scores = scores(selection, &group, &means);
        let better = _mm512_cmp_pd_mask::<_CMP_GT_OQ>(scores, greatest);
        greatest = _mm512_mask_mov_pd(greatest, better, scores);
        places = _mm512_mask_mov_epi64(places, better, here);
        here = _mm512_add_epi64(here, _mm512_set1_epi64(GROUP as i64));
    }
    let score = _mm512_reduce_max_pd(greatest);
    let equal = _mm512_cmp_pd_mask::<_CMP_EQ_OQ>(greatest, _mm512_set1_pd(score));
    (score > f64::NEG_INFINITY).then(|| _mm512_mask_reduce_min_epu64(equal, places) as usize)
}

/// The means of queen moves.
#[target_feature(enable = "avx512f,avx512bw,avx512dq")]
#[inline]
fn queen_means(packed: __m512i, means: &[u16; HalfMove::INDICES + 1]) -> __m512i {
    let squares = _mm512_set1_epi64(HalfMove::INDICES as i64 - 1);
    let squares = _mm512_and_si512(_mm512_srli_epi64::<TO>(packed), squares);
    // SAFETY: `squares` has only bits of an index into the moves, and each load also takes the mean
    // behind it, which there is.
    let means = unsafe { _mm512_i64gather_epi32::<2>(squares, means.as_ptr().cast()) };
    _mm512_and_si512(_mm512_cvtepu32_epi64(means), _mm512_set1_epi64(0xffff))
}

/// The means of arrows, whose table fits into four registers.
#[target_feature(enable = "avx512f,avx512bw,avx512dq")]
#[inline]
fn arrow_means(packed: __m512i, [a, b, c, d]: &[__m512i; 4]) -> __m512i {
    /// The lowest 16 bits of each lane.
    const LOWEST: __mmask32 = 0x1111_1111;
    // The permutation takes the lowest six bits of a square; the seventh chooses between halves.
    let to = _mm512_srli_epi64::<TO>(packed);
    let low = _mm512_maskz_permutex2var_epi16(LOWEST, *a, to, *b);
    let high = _mm512_maskz_permutex2var_epi16(LOWEST, *c, to, *d);
    _mm512_mask_mov_epi64(low, _mm512_test_epi64_mask(to, _mm512_set1_epi64(64)), high)
}

/// The scores of a group's edges, minus infinity for edges that are lost or missing.
#[target_feature(enable = "avx512f,avx512bw,avx512dq")]
#[inline]
fn scores(selection: &Selection<'_>, group: &EdgeGroup<'_>, means: impl Fn(__m512i) -> __m512i) -> __m512d {
    let Selection { explore, ref gains, parameters, .. } = *selection;
    let all = |number: f64| _mm512_set1_pd(number);
    let packed = load(_mm512_set1_epi64(MISSING), group.moves);
    let units = |units: __m512i| _mm512_mul_pd(_mm512_cvtepi64_pd(units), all(UNIT));
    let share = |bits: __m512i| units(_mm512_and_si512(bits, _mm512_set1_epi64(0xffff)));
    let means = means(packed);
    let gain = _mm512_sub_pd(units(means), all(gains.base));
    let gain = _mm512_maskz_mov_pd(_mm512_test_epi64_mask(means, means), gain);
    let term = _mm512_mul_pd(all(explore), share(packed));
    let value =
        _mm512_sub_pd(share(_mm512_srli_epi64::<STATIC_VALUE>(packed)), all(parameters.fpu_reduction));
    let mut scores = _mm512_add_pd(_mm512_add_pd(value, gain), term);
    let statistics = group.statistics.as_flattened();
    if !statistics.is_empty() {
        let (low, high) = statistics.split_at(statistics.len().min(8));
        let zero = _mm512_setzero_si512();
        let (low, high) = (load(zero, low), load(zero, high));
        let sums = _mm512_permutex2var_epi64(low, _mm512_set_epi64(14, 12, 10, 8, 6, 4, 2, 0), high);
        let counts = _mm512_permutex2var_epi64(low, _mm512_set_epi64(15, 13, 11, 9, 7, 5, 3, 1), high);
        let visits = _mm512_and_si512(counts, _mm512_set1_epi64(u32::MAX.into()));
        let n = _mm512_cvtepi64_pd(visits);
        let mean = _mm512_div_pd(_mm512_cvtepi64_pd(sums), _mm512_mul_pd(n, all(Statistics::ONE)));
        let rave_visits = all(parameters.rave_visits);
        let rave_share = _mm512_div_pd(rave_visits, _mm512_add_pd(rave_visits, n));
        let score = _mm512_add_pd(mean, _mm512_mul_pd(rave_share, gain));
        let score = _mm512_add_pd(score, _mm512_div_pd(term, _mm512_add_pd(all(1.0), n)));
        scores = _mm512_mask_mov_pd(scores, _mm512_test_epi64_mask(visits, visits), score);
    }
    let proof = _mm512_srli_epi64::<PROOF>(packed);
    let lost = _mm512_cmpeq_epi64_mask(proof, _mm512_set1_epi64(Proof::Loss as i64));
    _mm512_mask_mov_pd(scores, lost, all(f64::NEG_INFINITY))
}

/// Reads up to eight words into the lowest places of a register; the other places stay as they are.
#[target_feature(enable = "avx512f,avx512bw,avx512dq")]
#[inline]
fn load(mut register: __m512i, words: &[AtomicU64]) -> __m512i {
    debug_assert!(words.len() <= 8);
    let places = ((1_u32 << words.len()) - 1) as __mmask8;
    // SAFETY: the instruction reads only the words whose place is in the mask. Other workers may write
    // to them meanwhile. Rust has no vector load of atomics, so this is assembly. Processors read each
    // aligned word at once, though no manual promises it here. Half a word would only give a wrong
    // score: all squares lead to means.
    unsafe {
        asm!(
            "vmovdqu64 {register}{{{places}}}, [{words}]",
            register = inout(zmm_reg) register,
            places = in(kreg) places,
            words = in(reg) words.as_ptr(),
            options(nostack, preserves_flags, readonly),
        );
    }
    register
}
