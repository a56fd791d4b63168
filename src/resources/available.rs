//! Determines how much memory is available to this process: on the machine, in its control groups (of both versions,
//! including all parent groups), and within the limits of its address space.
//!
//! Without `/proc` nothing is known, and there is no limit.

use std::fs::read_to_string;
use std::path::{Path, PathBuf};

/// Share of the available memory that operators may hold. The rest is for memory that no operator reserves, such as
/// batches in transit and buffers of readers and writers.
const SHARE: f64 = 0.7;
/// Bytes of the available memory that are left for the program itself, in any case.
const PROGRAM_BYTES: u64 = 384 << 20;
/// Share of the available address space that operators may hold; stacks and reserves of the allocator also take
/// address space.
const ADDRESS_SHARE: f64 = 0.5;
/// Bytes that operators may always hold, so that small queries run even if other processes use the memory.
const MIN_LIMIT: usize = 64 << 20;
/// A control group's limit in bytes from which on it means no limit.
const NO_LIMIT: u64 = 1 << 60;

/// Bytes that operators may hold if no limit is given.
pub(super) fn default_limit() -> Option<usize> {
    limit_below(Path::new("/"))
}

/// As [`default_limit`], with `/proc` and the control groups below `root`.
fn limit_below(root: &Path) -> Option<usize> {
    let machine = read_to_string(root.join("proc/meminfo")).ok();
    let machine = machine.and_then(|text| of_machine(&text));
    let resident = of_groups(root).into_iter().chain(machine).min();
    let limits = read_to_string(root.join("proc/self/limits")).unwrap_or_default();
    let status = read_to_string(root.join("proc/self/status")).unwrap_or_default();
    let shares = [
        resident
            .map(|bytes| (bytes as f64 * SHARE).min(bytes.saturating_sub(PROGRAM_BYTES) as f64)),
        address_space(&limits, &status).map(|bytes| bytes as f64 * ADDRESS_SHARE),
    ];
    let limit = shares.into_iter().flatten().min_by(f64::total_cmp)?;
    Some((limit as usize).max(MIN_LIMIT))
}

/// Bytes that the machine can provide without swapping.
fn of_machine(meminfo: &str) -> Option<u64> {
    let of = |name: &str| kilobytes(meminfo, name);
    of("MemAvailable:").or_else(|| of("MemTotal:"))
}

/// The limit of the address space in bytes; `None` if there is none.
pub(super) fn limit_of_address_space() -> Option<u64> {
    let limits = read_to_string("/proc/self/limits").ok()?;
    let line = limits
        .lines()
        .find_map(|line| line.strip_prefix("Max address space"))?;
    line.split_whitespace().next()?.parse().ok()
}

/// Bytes that are left below the limits of the address space and of the data segment; `None` if there are none.
fn address_space(limits: &str, status: &str) -> Option<u64> {
    let left = |limit: &str, used: &str| {
        let line = limits.lines().find_map(|line| line.strip_prefix(limit))?;
        let soft: u64 = line.split_whitespace().next()?.parse().ok()?;
        Some(soft.saturating_sub(kilobytes(status, used).unwrap_or(0)))
    };
    let spaces = [
        left("Max address space", "VmSize:"),
        left("Max data size", "VmData:"),
    ];
    spaces.into_iter().flatten().min()
}

/// The number of a line `name   123 kB`, in bytes.
fn kilobytes(text: &str, name: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    let number: u64 = line.split_whitespace().next()?.parse().ok()?;
    Some(number << 10)
}

/// The names of a control group's files.
struct Files {
    limits: &'static [&'static str],
    usage: &'static str,
    /// Keys in `memory.stat` of the page cache, which counts as usage but can be dropped.
    cached: [&'static str; 2],
}

const FIRST: Files = Files {
    limits: &["memory.limit_in_bytes"],
    usage: "memory.usage_in_bytes",
    cached: ["total_inactive_file ", "total_active_file "],
};
const SECOND: Files = Files {
    limits: &["memory.max", "memory.high"],
    usage: "memory.current",
    cached: ["inactive_file ", "active_file "],
};

/// Bytes that are left in each control group that limits this process.
fn of_groups(root: &Path) -> Vec<u64> {
    let groups = read_to_string(root.join("proc/self/cgroup")).unwrap_or_default();
    let mounts = read_to_string(root.join("proc/self/mountinfo")).unwrap_or_default();
    let mut left = Vec::new();
    for line in groups.lines() {
        // hierarchy:controllers:path; the second version has no controllers.
        let mut fields = line.splitn(3, ':');
        let (Some(_), Some(controllers), Some(path)) =
            (fields.next(), fields.next(), fields.next())
        else {
            continue;
        };
        let files = match controllers {
            "" => SECOND,
            named if named.split(',').any(|name| name == "memory") => FIRST,
            _ => continue,
        };
        for mount in mounts
            .lines()
            .filter_map(|line| Mount::of(line, controllers))
        {
            let top = root.join(mount.point.trim_start_matches('/'));
            let mut group = mount.directory_of(&top, path);
            loop {
                left.extend(of_group(&group, &files));
                if group == top || !group.pop() {
                    break;
                }
            }
        }
    }
    left
}

/// Where a hierarchy of control groups is mounted.
struct Mount {
    /// The path, in the whole hierarchy, of the group that is mounted.
    root: String,
    point: String,
}

impl Mount {
    /// The mount of a line of `mountinfo`, if it is the hierarchy with these controllers.
    fn of(line: &str, controllers: &str) -> Option<Self> {
        let (before, after) = line.split_once(" - ")?;
        let mut after = after.split(' ');
        let (kind, options) = (after.next()?, after.nth(1).unwrap_or_default());
        let fits = match controllers {
            "" => kind == "cgroup2",
            _ => kind == "cgroup" && options.split(',').any(|option| option == "memory"),
        };
        let mut before = before.split(' ').skip(3);
        let (root, point) = (before.next()?, before.next()?);
        fits.then(|| Self {
            root: root.replace("\\040", " "),
            point: point.replace("\\040", " "),
        })
    }

    /// The directory of a group; `top` if the group is not below the mounted one, as in containers.
    fn directory_of(&self, top: &Path, group: &str) -> PathBuf {
        let below = Path::new(group).strip_prefix(&self.root).ok();
        match below.filter(|below| below.components().all(|part| part.as_os_str() != "..")) {
            Some(below) if !below.as_os_str().is_empty() => top.join(below),
            _ => top.to_owned(),
        }
    }
}

fn of_group(group: &Path, files: &Files) -> Option<u64> {
    let number =
        |name: &str| -> Option<u64> { read_to_string(group.join(name)).ok()?.trim().parse().ok() };
    let limits = files.limits.iter().filter_map(|name| number(name));
    let limit = limits.min().filter(|limit| *limit < NO_LIMIT)?;
    let used = number(files.usage).unwrap_or(0);
    let stat = read_to_string(group.join("memory.stat")).unwrap_or_default();
    let cached = files.cached.iter().filter_map(|name| -> Option<u64> {
        let line = stat.lines().find_map(|line| line.strip_prefix(name))?;
        line.trim().parse().ok()
    });
    Some(limit.saturating_sub(used.saturating_sub(cached.sum())))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A root directory with these files.
    fn root(files: &[(&str, &str)]) -> tempfile::TempDir {
        let root = tempfile::tempdir().expect("a directory");
        for (name, text) in files {
            let path = root.path().join(name);
            std::fs::create_dir_all(path.parent().expect("a parent")).expect("directories");
            std::fs::write(path, text).expect("a file");
        }
        root
    }

    const MEMINFO: &str = "MemTotal:       20000000 kB\nMemAvailable:   10000000 kB\n";

    fn share(bytes: u64) -> Option<usize> {
        Some((bytes as f64 * SHARE) as usize)
    }

    #[test]
    fn a_machine_without_groups() {
        let machine = root(&[("proc/meminfo", MEMINFO)]);
        assert_eq!(limit_below(machine.path()), share(10_240_000_000));
        assert_eq!(limit_below(root(&[]).path()), None);
    }

    #[test]
    fn little_memory() {
        let of = |kilobytes: u64| {
            let text = format!("MemAvailable:   {kilobytes} kB\n");
            limit_below(root(&[("proc/meminfo", &text)]).path())
        };
        assert_eq!(of(1 << 20), Some(640 << 20));
        assert_eq!(of(400 << 10), Some(64 << 20));
    }

    #[test]
    fn a_group_above_its_own_is_the_tightest() {
        let machine = root(&[
            ("proc/meminfo", MEMINFO),
            ("proc/self/cgroup", "0::/a.slice/b\n"),
            (
                "proc/self/mountinfo",
                "38 31 0:35 / /sys/fs/cgroup rw,relatime - cgroup2 cgroup2 rw\n",
            ),
            ("sys/fs/cgroup/a.slice/memory.max", "5000000000\n"),
            ("sys/fs/cgroup/a.slice/memory.current", "2000000000\n"),
            (
                "sys/fs/cgroup/a.slice/memory.stat",
                "anon 1\ninactive_file 600000000\nactive_file 400000000\n",
            ),
            ("sys/fs/cgroup/a.slice/b/memory.max", "max\n"),
            ("sys/fs/cgroup/a.slice/b/memory.current", "1\n"),
        ]);
        assert_eq!(limit_below(machine.path()), share(4_000_000_000));
    }

    #[test]
    fn the_first_version_in_a_container() {
        let machine = root(&[
            ("proc/meminfo", MEMINFO),
            (
                "proc/self/cgroup",
                "9:name=systemd:/\n4:cpu,memory:/docker/x\n0::/\n",
            ),
            (
                "proc/self/mountinfo",
                "1 2 0:3 /docker/x /sys/fs/cgroup/memory rw - cgroup cgroup rw,cpu,memory\n",
            ),
            ("sys/fs/cgroup/memory/memory.limit_in_bytes", "3000000000\n"),
            ("sys/fs/cgroup/memory/memory.usage_in_bytes", "1000000000\n"),
            (
                "sys/fs/cgroup/memory/memory.stat",
                "total_inactive_file 0\n",
            ),
        ]);
        assert_eq!(limit_below(machine.path()), share(2_000_000_000));
        let unlimited = root(&[
            ("proc/meminfo", MEMINFO),
            ("proc/self/cgroup", "4:memory:/../other\n"),
            (
                "proc/self/mountinfo",
                "1 2 0:3 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n",
            ),
            (
                "sys/fs/cgroup/memory/memory.limit_in_bytes",
                "9223372036854771712\n",
            ),
        ]);
        assert_eq!(limit_below(unlimited.path()), share(10_240_000_000));
    }

    #[test]
    fn a_limit_of_the_address_space() {
        let limits = "Limit                     Soft Limit           Hard Limit           Units\n\
             Max data size             unlimited            unlimited            bytes\n\
             Max address space         800000000            unlimited            bytes\n";
        let machine = root(&[
            ("proc/meminfo", MEMINFO),
            ("proc/self/limits", limits),
            ("proc/self/status", "VmSize:\t  100000 kB\n"),
        ]);
        assert_eq!(limit_below(machine.path()), Some(348_800_000));
    }
}
