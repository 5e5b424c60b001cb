#!/usr/bin/env bash
# The work of action.yml: findings as annotations, a comparison in the summary and in a comment, rendered files checked.
set -euo pipefail

# The summary of a step takes 1 MiB; a character takes up to 4 bytes.
summary_chars=250000
work=${RUNNER_TEMP:-/tmp}
failed=0

mapfile -t paths < <(printf '%s\n' "$ACTION_PATHS" | sed '/^[[:space:]]*$/d')
mapfile -t options < <(printf '%s\n' "$ACTION_OPTIONS" | sed '/^[[:space:]]*$/d')
[ -z "$ACTION_OPERATOR_VERSION" ] || options+=(--operator-version "$ACTION_OPERATOR_VERSION")
[ -z "$ACTION_TARGET" ] || options+=(--target "$ACTION_TARGET")

output() { echo "$1=$2" >>"$GITHUB_OUTPUT"; }

check() {
  dynamoc validate "${options[@]}" --findings github "${paths[@]}" || failed=1
  dynamoc validate "${options[@]}" -o sarif "${paths[@]}" >"$work/dynamoc.sarif" || true
  [ ! -s "$work/dynamoc.sarif" ] || output sarif-file "$work/dynamoc.sarif"
}

compare() {
  local base=$ACTION_BASE
  if ! git rev-parse --quiet --verify "$base^{commit}" >/dev/null; then
    git fetch --quiet --depth=1 origin "$base"
  fi
  local command=(dynamoc diff "${options[@]}" -o markdown --allow=changes)
  if ! "${command[@]}" --max-chars "$summary_chars" "$base.." -- "${paths[@]}" >"$work/summary.md" 2>"$work/diff.log"; then
    cat "$work/diff.log"
    echo "::warning title=dynamoc::The graphs cannot be compared with $base; the log says why."
    return
  fi
  "${command[@]}" --max-chars github "$base.." -- "${paths[@]}" >"$work/dynamoc.md" 2>/dev/null
  cat "$work/summary.md" >>"$GITHUB_STEP_SUMMARY"
  output diff-file "$work/dynamoc.md"
  [ "$ACTION_COMMENT" != true ] || comment
}

# One comment a pull request, which each run rewrites. A pull request from a fork has no right to write one.
comment() {
  local marker='<!-- dynamoc -->' issues=repos/$GITHUB_REPOSITORY/issues found
  if [ -z "$ACTION_PULL_REQUEST" ]; then
    return
  fi
  { echo "$marker"; cat "$work/dynamoc.md"; } >"$work/comment.md"
  found=$(gh api --paginate "$issues/$ACTION_PULL_REQUEST/comments" \
    --jq ".[] | select(.body | startswith(\"$marker\")) | .id" | head -n 1) || found=
  if [ -n "$found" ]; then
    gh api --silent --method PATCH "$issues/comments/$found" --field "body=@$work/comment.md"
  else
    gh api --silent --method POST "$issues/$ACTION_PULL_REQUEST/comments" --field "body=@$work/comment.md"
  fi || echo "::warning title=dynamoc::The comment cannot be written; does the job have the right pull-requests: write?"
}

render() {
  if ! dynamoc render "${options[@]}" --output-dir "$ACTION_OUTPUT_DIR" --check "${paths[@]}"; then
    echo "::error title=dynamoc::$ACTION_OUTPUT_DIR is not what the graphs give. Render it again, and commit it."
    failed=1
  fi
}

check
[ -z "$ACTION_BASE" ] || compare
[ -z "$ACTION_OUTPUT_DIR" ] || render
exit "$failed"
