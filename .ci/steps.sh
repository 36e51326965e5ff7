# Shared by .ci/run and .ci/full (sourced, not run).

# No wish of the caller's own Python may leak into the check.
unset PYTHONPATH PYTHONHOME VIRTUAL_ENV
export PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_INPUT=1
# Modules are compiled when they are first imported, and kept: pip would take half a minute to compile all of them, of
# which the tests import a part, and each of the many programs that tests start would compile its own once more.
export PIP_COMPILE=0
unset PYTHONDONTWRITEBYTECODE

step() { printf '\n--- %s (%ss)\n' "$1" "$SECONDS"; }

fail() {
  printf 'failed: %s\n' "$1" >&2
  exit 1
}

# Copy the committed files of $1 into a new temporary folder and go there; the folder goes when we go.
fresh_copy() {
  local root=$1
  scratch=$(mktemp -d)
  trap 'rm -rf "$scratch"' EXIT
  mkdir "$scratch/nelayout"
  if git -c safe.directory="$root" -C "$root" rev-parse --verify -q HEAD >/dev/null 2>&1; then
    git -c safe.directory="$root" -C "$root" archive HEAD | tar -x -C "$scratch/nelayout"
    if [ -n "$(git -c safe.directory="$root" -C "$root" status --porcelain)" ]; then
      echo "note: changes that are not committed take no part in this run"
    fi
  else
    cp -R "$root/." "$scratch/nelayout"
    rm -rf "$scratch/nelayout/.venv"
  fi
  # The data that tests read lies beside the checkout, not beside the copy.
  if [ -z "${NELAYOUT_DATA:-}" ] && [ -d "$root/../shared/data" ]; then
    NELAYOUT_DATA=$(cd "$root/../shared/data" && pwd)
    export NELAYOUT_DATA
  fi
  cd "$scratch/nelayout"
}

# Install PyTorch for the CPU by the pip given, where pip is set up to find it: the build on PyPI brings gigabytes of
# CUDA.
cpu_torch() {
  "$1" install -q --retries 0 --timeout 10 "torch==2.13.0+cpu"
}

# Run the fenced block that follows the line `<!-- ci: NAME -->` in README.md.
readme_command() {
  local command
  command=$(awk -v mark="<!-- ci: $1 -->" '
    $0 == mark { found = 1; next }
    found && /^```/ { if (inside) exit; inside = 1; next }
    inside { print }' README.md)
  [ -n "$command" ] || fail "README.md has no block marked <!-- ci: $1 -->"
  printf '%s\n' "$command"
  bash -euo pipefail -c "$command" </dev/null
}
