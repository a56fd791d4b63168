//! Kernels that are compiled for several vector units: the choice of the function for this machine.
//!
//! The functions of a kernel return the same bits. The tests call every function that the machine can run.

/// A vector unit that not every machine has.
#[derive(Debug, Clone, Copy)]
pub(crate) enum VectorUnit {
    /// AVX-512 with the instructions for 32-bit and 64-bit numbers (`avx512f`).
    #[cfg(target_arch = "x86_64")]
    Avx512F,
    /// [`Self::Avx512F`], with an instruction that multiplies 64-bit numbers (`avx512dq`), on processors where it is
    /// faster than three multiplications of 32 bits.
    #[cfg(target_arch = "x86_64")]
    Avx512FastMultiply,
    /// [`Self::Avx512F`], and vectors of counts of bits (`avx512vpopcntdq`).
    #[cfg(target_arch = "x86_64")]
    Avx512Vpopcntdq,
    /// AVX2, and the instruction that counts bits (`avx2`, `popcnt`).
    #[cfg(target_arch = "x86_64")]
    Avx2,
}

impl VectorUnit {
    /// Whether this machine can run functions that are compiled for the unit.
    #[inline]
    fn is_supported(self) -> bool {
        match self {
            #[cfg(target_arch = "x86_64")]
            Self::Avx512F => std::arch::is_x86_feature_detected!("avx512f"),
            #[cfg(target_arch = "x86_64")]
            Self::Avx512FastMultiply => {
                std::arch::is_x86_feature_detected!("avx512f")
                    && std::arch::is_x86_feature_detected!("avx512dq")
            }
            #[cfg(target_arch = "x86_64")]
            Self::Avx512Vpopcntdq => {
                std::arch::is_x86_feature_detected!("avx512f")
                    && std::arch::is_x86_feature_detected!("avx512vpopcntdq")
            }
            #[cfg(target_arch = "x86_64")]
            Self::Avx2 => {
                std::arch::is_x86_feature_detected!("avx2")
                    && std::arch::is_x86_feature_detected!("popcnt")
            }
        }
    }

    /// Whether functions for the unit are faster here than those for the units after it, if the machine can run them.
    #[inline]
    fn is_fast(self) -> bool {
        match self {
            #[cfg(target_arch = "x86_64")]
            Self::Avx512FastMultiply => is_amd(),
            #[cfg(target_arch = "x86_64")]
            Self::Avx512F | Self::Avx512Vpopcntdq | Self::Avx2 => true,
        }
    }
}

/// Whether the processor is AMD's: they multiply vectors of 64-bit numbers in one micro-operation, Intel's in three
/// (measurements of uops.info, instruction VPMULLQ).
#[cfg(target_arch = "x86_64")]
fn is_amd() -> bool {
    static IS_AMD: std::sync::LazyLock<bool> = std::sync::LazyLock::new(|| {
        let vendor = std::arch::x86_64::__cpuid(0);
        let words = [vendor.ebx, vendor.edx, vendor.ecx];
        words.map(u32::to_le_bytes).as_flattened() == b"AuthenticAMD"
    });
    *IS_AMD
}

/// The functions of a kernel; `F` is the type of a pointer to them.
pub(crate) struct Implementations<F: 'static> {
    /// Functions for machines with a vector unit, the fastest first. The features that a function is compiled for are
    /// those of the unit.
    pub(crate) for_units: &'static [(VectorUnit, F)],
    /// The function for all machines.
    pub(crate) portable: F,
}

impl<F: Copy> Implementations<F> {
    /// The fastest function that this machine can run.
    #[inline]
    pub(crate) fn selected(&self) -> F {
        let mut for_units = self.for_units.iter();
        let selected = for_units.find(|(unit, _)| unit.is_supported() && unit.is_fast());
        selected.map_or(self.portable, |&(_, function)| function)
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use std::io::Write;

    /// Calls `check` with each function that this machine can run, and its name. Reports the others on standard
    /// error, past the capture of the test harness.
    pub(crate) fn for_each<F: Copy>(
        kernel: &str,
        implementations: &Implementations<F>,
        mut check: impl FnMut(&str, F),
    ) {
        check("portable", implementations.portable);
        for &(unit, function) in implementations.for_units {
            if unit.is_supported() {
                check(&format!("{unit:?}"), function);
            } else {
                let mut stderr = std::io::stderr();
                writeln!(
                    stderr,
                    "skipped: {kernel} for {unit:?}, which this machine lacks"
                )
                .expect("standard error is open");
            }
        }
    }

    #[test]
    fn the_portable_function_is_selected_if_there_is_no_other() {
        let implementations = Implementations {
            for_units: &[],
            portable: 0,
        };
        assert_eq!(implementations.selected(), 0);
    }

    #[cfg(target_arch = "x86_64")]
    #[test]
    fn the_first_available_function_is_selected() {
        let has = |unit: VectorUnit, function| if unit.is_supported() { function } else { 0 };
        // A machine with AVX-512 has AVX2 as well.
        let both = Implementations {
            for_units: &[(VectorUnit::Avx2, 1), (VectorUnit::Avx512F, 2)],
            portable: 0,
        };
        assert_eq!(both.selected(), has(VectorUnit::Avx2, 1));
        let one = Implementations {
            for_units: &[(VectorUnit::Avx512F, 2)],
            portable: 0,
        };
        assert_eq!(one.selected(), has(VectorUnit::Avx512F, 2));
    }
}
