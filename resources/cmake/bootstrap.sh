# SPDX-License-Identifier: GPL-3.0-or-later
# What app/run, tests/run and .ci/run share (sourced by them, bash): installing missing packages, configuring, building.
# They set `root` to the repository's folder first. Progress goes to stderr, so that a script's own output stays clean.

say() { printf '%s\n' "$*" >&2; }

readonly caller=$(basename "$(dirname "$0")")/${0##*/}

# die STATUS MESSAGE: one clear line, then out.
die() {
    local -r status=$1
    shift
    say "$caller: $*"
    exit "$status"
}

# packagesOf SECTION…: the packages of these sections of resources/debian-packages.txt, one a line.
packagesOf() {
    awk -v wanted=" $* " '
        { sub(/#.*/, ""); gsub(/[ \t\r]+/, "") }
        /^\[.*\]$/ { inside = index(wanted, " " substr($0, 2, length($0) - 2) " "); next }
        inside && $0 != "" { print }' "$root/resources/debian-packages.txt"
}

# needSpace FOLDER MEGABYTES WHAT: stops when the disk under FOLDER cannot hold what is about to be written there.
needSpace() {
    local free
    free=$(df -Pm "$1" | awk 'NR == 2 { print $4 }')
    [[ $free -ge $2 ]] || die 2 "$3 needs about $2 MB on the disk of $1, which has $free MB free."
}

# installPackages SECTION…: installs what is missing of these sections; quick when nothing is.
installPackages() {
    local -a wanted missing asRoot=()
    mapfile -t wanted < <(packagesOf "$@")
    if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
        say "$caller: this is not a Debian system, so install the counterparts of the Debian 12 packages below,"
        say "then: cmake --preset release && cmake --build --preset release && build/release/app/mitos"
        packagesOf "$@"
        exit 2
    fi
    mapfile -t missing < <(comm -23 <(printf '%s\n' "${wanted[@]}" | sort -u) \
        <(dpkg-query -W -f '${Package} ${db:Status-Status}\n' "${wanted[@]}" 2>/dev/null |
            awk '$2 == "installed" { print $1 }' | sort -u))
    [[ ${#missing[@]} -gt 0 ]] || return 0

    if [[ $EUID -ne 0 ]]; then
        command -v sudo >/dev/null ||
            die 2 "packages are missing and there is no sudo; as root run: apt-get install ${missing[*]}"
        asRoot=(sudo)
    fi
    needSpace /usr 2100 "Installing packages"
    say "Installing ${#missing[@]} packages: ${missing[*]}"
    local log
    log=$(mktemp "${TMPDIR:-/tmp}/mitos-apt.XXXXXX")
    local -ra apt=("${asRoot[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q -o DPkg::Lock::Timeout=300)
    "${apt[@]}" update >"$log" 2>&1 </dev/null || say "The package lists could not be refreshed; trying with those at hand."
    if ! "${apt[@]}" install -y --no-install-recommends "${missing[@]}" >>"$log" 2>&1 </dev/null; then
        die 2 "packages could not be installed ($(grep -m1 '^E: ' "$log" || echo 'no reason given'); full log: $log)."
    fi
    rm -f "$log"
}

# buildPreset PRESET [TARGET…]: configures build/PRESET when that is needed and builds the targets (default: all).
# MITOS_WERROR=ON in the environment makes warnings errors.
buildPreset() {
    local -r preset=$1 folder=$root/build/$1 werror=${MITOS_WERROR:-OFF}
    shift
    cd "$root"
    mkdir -p "$folder" || die 2 "cannot write to $root/build."
    if [[ ! -f $folder/build.ninja ]] || ! grep -qxF "CMAKE_HOME_DIRECTORY:INTERNAL=$root" "$folder/CMakeCache.txt" ||
        ! grep -qx "MITOS_WERROR:BOOL=$werror" "$folder/CMakeCache.txt" ||
        [[ CMakePresets.json -nt $folder/CMakeCache.txt ]]; then
        needSpace "$folder" 2000 "Building"
        say "Configuring build/$preset"
        cmake --fresh --preset "$preset" -DMITOS_WERROR="$werror" >"$folder/configure.log" 2>&1 || {
            tail -n 30 "$folder/configure.log" >&2
            die 1 "configuring failed; full log: $folder/configure.log"
        }
    fi
    say "Building build/$preset"
    cmake --build --preset "$preset" ${1:+--target "$@"} >&2 || die 1 "building build/$preset failed."
}
