//! Selection with AVX-512: scores a group of edges at once, with the same result as scalar code.

use std::arch::asm;
use std::arch::x86_64::*;

use amazons::{HalfMove, Square};

use super::{Gains, SelectionInputs};
use crate::search::arena::{
    AtomicU64, EdgeGroup, GROUP_LEN, PROOF_SHIFT, Proof, STATIC_VALUE_SHIFT, Statistics, TO_SHIFT, VALUE_UNIT,
};

// The code needs groups of 8 edges with two words of statistics each: 8 words of 64 bits fill a
// 512-bit register, and 8 scores of 32 bits fill a 256-bit register.
const _: () = assert!(GROUP_LEN == 8 && Statistics::WORDS == 2);
// `load` reads atomics as plain words. The atomics of the model checker loom are not plain words.
const _: () = assert!(size_of::<AtomicU64>() == 8);

/// The word in the lanes after a group's last edge. As a proven loss, it is never selected.
const NO_EDGE: i64 = (Proof::Loss as i64) << PROOF_SHIFT;

#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
pub(super) fn select(selection: &SelectionInputs<'_>) -> Option<usize> {
    let Gains { means, index_mask, .. } = selection.gains;
    if index_mask >= Square::INDICES {
        return best_score_index(selection, |squares| queen_means(squares, means));
    }
    let means: &[u16; Square::INDICES] = means.first_chunk().expect("there are more means than squares");
    // SAFETY: both types have the same size, and every bit pattern is a valid register value.
    let registers = unsafe { std::mem::transmute_copy::<_, [__m512i; 4]>(means) };
    best_score_index(selection, |squares| arrow_means(squares, &registers))
}

/// The index of the best edge. `means` maps the squares of edges to the RAVE means of their moves;
/// the mean is 0 if no playout had the move.
///
/// Compares each lane over all groups first, and the lanes with each other at the end. A branch for
/// each group would be slower, because the processor often predicts it wrongly.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
#[inline]
fn best_score_index(selection: &SelectionInputs<'_>, means: impl Fn(__m256i) -> __m256i) -> Option<usize> {
    let mut greatest = _mm256_set1_ps(f32::NEG_INFINITY);
    let mut places = _mm256_setzero_si256();
    let mut here = _mm256_set_epi32(7, 6, 5, 4, 3, 2, 1, 0);
    for group in selection.node.groups() {
        let scores = scores(selection, &group, &means);
        let better = _mm256_cmp_ps_mask::<_CMP_GT_OQ>(scores, greatest);
        greatest = _mm256_mask_mov_ps(greatest, better, scores);
        places = _mm256_mask_mov_epi32(places, better, here);
        here = _mm256_add_epi32(here, _mm256_set1_epi32(GROUP_LEN as i32));
    }
    let none = _mm512_set1_ps(f32::NEG_INFINITY);
    let score = _mm512_reduce_max_ps(_mm512_insertf32x8::<0>(none, greatest));
    let equal = _mm256_cmp_ps_mask::<_CMP_EQ_OQ>(greatest, _mm256_set1_ps(score));
    let first = || _mm512_mask_reduce_min_epu32(equal.into(), _mm512_castsi256_si512(places));
    (score > f32::NEG_INFINITY).then(|| first() as usize)
}

#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
#[inline]
fn queen_means(squares: __m256i, means: &[u16; HalfMove::INDICES + 1]) -> __m256i {
    let squares = _mm256_and_si256(squares, _mm256_set1_epi32(HalfMove::INDICES as i32 - 1));
    // SAFETY: each index is in range, and so is the next index. A load reads two numbers.
    let means = unsafe { _mm256_i32gather_epi32::<2>(means.as_ptr().cast(), squares) };
    _mm256_and_si256(means, _mm256_set1_epi32(0xffff))
}

/// The RAVE means of arrows, whose table fits into four registers.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
#[inline]
fn arrow_means(squares: __m256i, [a, b, c, d]: &[__m512i; 4]) -> __m256i {
    /// The mask of the lower 16-bit half of each of eight 32-bit lanes.
    const LOW_HALVES: __mmask32 = 0x5555;
    // The permutation uses the lowest six bits of a square. The next bit chooses the table's half.
    let to = _mm512_castsi256_si512(squares);
    let low = _mm512_castsi512_si256(_mm512_maskz_permutex2var_epi16(LOW_HALVES, *a, to, *b));
    let high = _mm512_castsi512_si256(_mm512_maskz_permutex2var_epi16(LOW_HALVES, *c, to, *d));
    _mm256_mask_mov_epi32(low, _mm256_test_epi32_mask(squares, _mm256_set1_epi32(64)), high)
}

/// The scores of a group's edges; minus infinity for lost edges and for lanes without an edge.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
#[inline]
fn scores(
    selection: &SelectionInputs<'_>,
    group: &EdgeGroup<'_>,
    means: impl Fn(__m256i) -> __m256i,
) -> __m256 {
    let SelectionInputs { prior_factor, ref gains, fpu_reduction, rave_visits, .. } = *selection;
    let all = |number: f32| _mm256_set1_ps(number);
    let packed = load(_mm512_set1_epi64(NO_EDGE), group.moves);
    let values = _mm512_cvtepi64_epi32(packed);
    let squares = _mm512_cvtepi64_epi32(_mm512_srli_epi64::<TO_SHIFT>(packed));
    let units = |units: __m256i| _mm256_mul_ps(_mm256_cvtepi32_ps(units), all(VALUE_UNIT as f32));
    let means = means(squares);
    let gain = _mm256_sub_ps(units(means), all(gains.base));
    let gain = _mm256_maskz_mov_ps(_mm256_test_epi32_mask(means, means), gain);
    let term = _mm256_mul_ps(all(prior_factor), units(_mm256_and_si256(values, _mm256_set1_epi32(0xffff))));
    let value =
        _mm256_sub_ps(units(_mm256_srli_epi32::<{ STATIC_VALUE_SHIFT as i32 }>(values)), all(fpu_reduction));
    let mut scores = _mm256_add_ps(_mm256_add_ps(value, gain), term);
    let statistics = group.statistics.as_flattened();
    if !statistics.is_empty() {
        let (low, high) = statistics.split_at(statistics.len().min(8));
        let zero = _mm512_setzero_si512();
        let (low, high) = (load(zero, low), load(zero, high));
        let sums = _mm512_permutex2var_epi64(low, _mm512_set_epi64(14, 12, 10, 8, 6, 4, 2, 0), high);
        let counts = _mm512_permutex2var_epi64(low, _mm512_set_epi64(15, 13, 11, 9, 7, 5, 3, 1), high);
        let visits = _mm512_and_si512(counts, _mm512_set1_epi64(u32::MAX.into()));
        let n = _mm512_cvtepi64_ps(visits);
        let mean = _mm256_div_ps(_mm512_cvtepi64_ps(sums), _mm256_mul_ps(n, all(Statistics::ONE as f32)));
        let rave_visits = all(rave_visits);
        let rave_share = _mm256_div_ps(rave_visits, _mm256_add_ps(rave_visits, n));
        let score = _mm256_add_ps(mean, _mm256_mul_ps(rave_share, gain));
        let score = _mm256_add_ps(score, _mm256_div_ps(term, _mm256_add_ps(all(1.0), n)));
        scores = _mm256_mask_mov_ps(scores, _mm512_test_epi64_mask(visits, visits), score);
    }
    let proof = _mm256_srli_epi32::<{ (PROOF_SHIFT - TO_SHIFT) as i32 }>(squares);
    let lost = _mm256_cmpeq_epi32_mask(proof, _mm256_set1_epi32(Proof::Loss as i32));
    _mm256_mask_mov_ps(scores, lost, all(f32::NEG_INFINITY))
}

/// Loads up to eight words into the lowest lanes of a register. The other lanes do not change.
#[target_feature(enable = "avx512f,avx512bw,avx512dq")]
#[inline]
fn load(mut register: __m512i, words: &[AtomicU64]) -> __m512i {
    debug_assert!(words.len() <= 8);
    let places = ((1_u32 << words.len()) - 1) as __mmask8;
    // SAFETY: the instruction reads only the words whose lane is in the mask.
    // Other workers may write to these words during the load. Rust has no vector load of atomics,
    // so this is assembly. Processors load each aligned word of a vector atomically, but no manual
    // says so. A torn word would only give a wrong score: any word gives an index within `means`.
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
