#!/usr/bin/env bash
# strangers.sh DYN_SERVE STRANGER ROBOT.urdf: whom dyn_serve hears and answers, in two network namespaces
# joined by a cable. Exit status 77 where they cannot be made.
set -u
dyn_serve=$1 stranger=$2 robot=$3
here=dyn_here_$$ there=dyn_there_$$ log=$(mktemp)
export ROS_DOMAIN_ID=0
unset CYCLONEDDS_URI ROS_AUTOMATIC_DISCOVERY_RANGE ROS_LOCALHOST_ONLY
server=
failures=0

# shellcheck disable=SC2317 # called by the trap
clean() {
  [[ -z $server ]] || kill "$server" 2>/dev/null
  ip netns del "$here" 2>/dev/null
  ip netns del "$there" 2>/dev/null
  rm -f "$log"
}
trap clean EXIT
{ command -v ip && command -v ss && ip netns add $here && ip netns add $there; } >/dev/null 2>&1 ||
  { echo 'skipped: network namespaces need root and iproute2'; exit 77; }
ip -n $here link add name cable type veth peer name cable netns $there || exit
for side in "$here 1" "$there 2"; do
  read -r name number <<<"$side"
  ip -n "$name" link set lo up
  ip -n "$name" addr add 10.203.0."$number"/24 dev cable
  ip -n "$name" link set cable up
done

# domain INTERFACES PEER: a configuration of Cyclone DDS.
domain() {
  printf '<CycloneDDS><Domain><General>%s<AllowMulticast>false</AllowMulticast></General><Discovery>%s%s%s' \
    "$1" '<ParticipantIndex>auto</ParticipantIndex><MaxAutoParticipantIndex>32</MaxAutoParticipantIndex>' \
    "<Peers><Peer address=\"$2\"/></Peers>" '</Discovery></Domain></CycloneDDS>'
}
# serve ARGUMENT...: starts dyn_serve here and waits until it works.
serve() {
  ip netns exec $here "$dyn_serve" "$robot" "$@" >"$log" 2>&1 &
  server=$!
  for _ in {1..600}; do
    ! grep -q '^[0-9]* s; ' "$log" || return 0
    sleep 0.1
  done
  cat "$log"
  exit 1
}
stop() {
  kill "$server"
  wait "$server"
  server=
}
# expect WHAT WANTED NAMESPACE POSITION [PEER]: what a participant there hears, configured as ROS 2 does it.
expect() {
  local got seconds=60
  [[ $2 != "$nothing" ]] || seconds=4
  got=$(CYCLONEDDS_URI=${5:+$(domain '' "$5")} timeout -k 2 600 ip netns exec "$3" "$stranger" "$robot" "$4" $seconds)
  check "$1" "$2" "$got"
}
check() {
  [[ $3 == "$2" ]] && return
  printf '%s: "%s" was to be, but it is "%s"\n' "$1" "$2" "$3"
  failures=$((failures + 1))
}
# garbage NAMESPACE ADDRESS: packets with a header of RTPS and nonsense, to every port that dyn_serve may have.
garbage() {
  # shellcheck disable=SC2016
  ip netns exec "$1" timeout -k 2 10 bash -c \
    'for p in $(seq 7400 7420); do printf "RTPS\\2\\1\\1\\20%032d" 1 >"/dev/udp/$0/$p"; done' "$2"
  sleep 1
}
# loopback_only SITUATION: nobody outside is heard, from inside the arm moves.
loopback_only() {
  expect "$1, from outside" "$nothing" $there 0.4 10.203.0.1
  garbage $there 10.203.0.1 2>/dev/null
  check "$1, raw packets from outside" 0 "$(grep -c malformed "$log")"
  check "$1, sockets at the outside address" '' "$(ip netns exec $here ss -Hanu 'src 10.203.0.1')"
  for _ in {1..20}; do
    garbage $here 127.0.0.1 2>/dev/null
    ! grep -q malformed "$log" || return 0
  done
  check "$1, raw packets from inside" seen unseen
}

# page WHAT WANTED NAMESPACE ADDRESS TARGET: how the page answers there; curl's 000: not at all.
page() {
  local got
  got=$(ip netns exec "$3" curl -s -m 60 -o /dev/null -w '%{http_code}' "http://$4:8765/$5")
  check "the page, $1" "$2" "$got"
}

inside='states heard, answers heard, arm moved' nothing='states none, answers none, arm not moved'
serve
loopback_only 'by default'
expect 'by default, from inside, as ROS 2 does' "$inside" $here 0.3 localhost
expect 'by default, from inside, by the outside address' "$inside" $here 0.3 10.203.0.1
stop
if command -v curl >/dev/null && ! "$dyn_serve" "$robot" --view 0 --duration 0.1 2>&1 | grep -q 'without the page'; then
  serve --view 8765 --listen 10.203.0.1
  token=$(sed -n 's/.*\(?token=[0-9a-f]*\).*/\1/p' "$log" | head -n 1)
  page 'from outside' 200 $there 10.203.0.1 "$token"
  page 'from outside, without the token' 403 $there 10.203.0.1 ''
  expect 'beside the page, from outside' "$nothing" $there 0.4 10.203.0.1
  stop
  serve --view 8765
  page 'by default, from inside' 200 $here 127.0.0.1 ''
  page 'by default, from outside' 000 $there 10.203.0.1 ''
  stop
fi
export CYCLONEDDS_URI
CYCLONEDDS_URI=$(domain '<Interfaces><NetworkInterface name="lo"/></Interfaces>' 127.0.0.1)
serve
loopback_only 'where CYCLONEDDS_URI names lo'
stop
CYCLONEDDS_URI=$(domain '<Interfaces><NetworkInterface name="cable"/></Interfaces>' 127.0.0.1)
serve
expect 'where CYCLONEDDS_URI names the cable' "$inside" $there 0.3 10.203.0.1
stop
unset CYCLONEDDS_URI
serve --network
expect 'with --network' "$inside" $there 0.3
stop
exit $((failures > 0))
