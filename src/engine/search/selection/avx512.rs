//! Selection with AVX-512. It scores the edges of a group side by side and gives the same bits as one
//! by one.

use std::arch::asm;
use std::arch::x86_64::*;

use super::Selection;
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
#[target_feature(enable = "avx512f,avx512dq")]
pub(super) fn select(selection: &Selection<'_>) -> Option<usize> {
    let (mut best, mut best_score) = (None, f64::NEG_INFINITY);
    for group in selection.node.groups() {
        let scores = scores(selection, &group);
        let better = _mm512_cmp_pd_mask::<_CMP_GT_OQ>(scores, _mm512_set1_pd(best_score));
        if better != 0 {
            best_score = _mm512_mask_reduce_max_pd(better, scores);
            let best_ones = _mm512_cmp_pd_mask::<_CMP_EQ_OQ>(scores, _mm512_set1_pd(best_score));
            best = Some(group.first + best_ones.trailing_zeros() as usize);
        }
    }
    best
}

/// The scores of a group's edges, minus infinity for edges that are lost or missing.
#[target_feature(enable = "avx512f,avx512dq")]
#[inline]
fn scores(selection: &Selection<'_>, group: &EdgeGroup<'_>) -> __m512d {
    let Selection { explore, ref gains, parameters, .. } = *selection;
    let all = |number: f64| _mm512_set1_pd(number);
    let packed = load(_mm512_set1_epi64(MISSING), group.moves);
    let share = |units: __m512i| {
        let units = _mm512_and_si512(units, _mm512_set1_epi64(0xffff));
        _mm512_mul_pd(_mm512_cvtepi64_pd(units), all(UNIT))
    };
    let gain = match gains.means {
        Some(means) => {
            let squares = _mm512_set1_epi64(gains.squares as i64);
            let squares = _mm512_and_si512(_mm512_srli_epi64::<TO>(packed), squares);
            // SAFETY: `squares` has only bits of an index into the moves, and each load also takes the
            // mean behind it, which there is.
            let means = unsafe { _mm512_i64gather_epi32::<2>(squares, means.as_ptr().cast()) };
            let means = _mm512_and_si512(_mm512_cvtepu32_epi64(means), _mm512_set1_epi64(0xffff));
            let gain = _mm512_sub_pd(share(means), all(gains.base));
            _mm512_maskz_mov_pd(_mm512_test_epi64_mask(means, means), gain)
        }
        None => _mm512_setzero_pd(),
    };
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
#[target_feature(enable = "avx512f,avx512dq")]
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
