#!/usr/bin/env bash
# security.sh DYN_SERVE STRANGER ROBOT.urdf: with --security only those take part whose certificate is by the
# same authority. Exit status 77 where there is no openssl or Cyclone DDS has no security plugins.
set -u
dyn_serve=$1 stranger=$2 robot=$3
folder=$(mktemp -d)
server=
failures=0
export ROS_DOMAIN_ID=$((10 + $$ % 90))
unset ROS_AUTOMATIC_DISCOVERY_RANGE ROS_LOCALHOST_ONLY
export CYCLONEDDS_URI='<CycloneDDS><Domain><General><Interfaces><NetworkInterface name="lo" multicast="false"/>
  </Interfaces><AllowMulticast>false</AllowMulticast></General><Discovery><ParticipantIndex>auto</ParticipantIndex>
  <MaxAutoParticipantIndex>20</MaxAutoParticipantIndex><Peers><Peer address="127.0.0.1"/></Peers></Discovery>
  </Domain></CycloneDDS>'

# shellcheck disable=SC2317 # called by the trap
clean() {
  [[ -z $server ]] || kill "$server" 2>/dev/null
  rm -rf "$folder"
}
trap clean EXIT
command -v openssl >/dev/null || { echo 'skipped: there is no openssl'; exit 77; }

# authority NAME: a certificate that signs itself.
authority() {
  openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 30 -subj "/CN=$1" \
    -keyout "$folder/$1.key" -out "$folder/$1.pem" 2>/dev/null
}
# enclave NAME AUTHORITY: a folder as SROS2 makes it.
enclave() {
  local own=$folder/$1 by=$folder/$2
  mkdir "$own"
  cp "$by.pem" "$own/identity_ca.cert.pem"
  cp "$by.pem" "$own/permissions_ca.cert.pem"
  openssl req -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -subj "/CN=$1" \
    -keyout "$own/key.pem" -out "$own/request" 2>/dev/null
  openssl x509 -req -in "$own/request" -CA "$by.pem" -CAkey "$by.key" -CAcreateserial -days 30 \
    -out "$own/cert.pem" 2>/dev/null
  local domains='<domains><id_range><min>0</min><max>230</max></id_range></domains>'
  cat >"$own/governance.xml" <<XML
<?xml version="1.0" encoding="UTF-8"?>
<dds><domain_access_rules><domain_rule>$domains
<allow_unauthenticated_participants>false</allow_unauthenticated_participants>
<enable_join_access_control>true</enable_join_access_control>
<discovery_protection_kind>ENCRYPT</discovery_protection_kind>
<liveliness_protection_kind>ENCRYPT</liveliness_protection_kind>
<rtps_protection_kind>SIGN</rtps_protection_kind>
<topic_access_rules><topic_rule><topic_expression>*</topic_expression>
<enable_discovery_protection>true</enable_discovery_protection>
<enable_liveliness_protection>true</enable_liveliness_protection>
<enable_read_access_control>true</enable_read_access_control>
<enable_write_access_control>true</enable_write_access_control>
<metadata_protection_kind>ENCRYPT</metadata_protection_kind>
<data_protection_kind>ENCRYPT</data_protection_kind>
</topic_rule></topic_access_rules></domain_rule></domain_access_rules></dds>
XML
  cat >"$own/permissions.xml" <<XML
<?xml version="1.0" encoding="UTF-8"?>
<dds><permissions><grant name="$1"><subject_name>CN=$1</subject_name>
<validity><not_before>2020-01-01T00:00:00</not_before><not_after>2099-01-01T00:00:00</not_after></validity>
<allow_rule>$domains
<publish><topics><topic>*</topic></topics></publish>
<subscribe><topics><topic>*</topic></topics></subscribe></allow_rule>
<default>DENY</default></grant></permissions></dds>
XML
  local name
  for name in governance permissions; do
    openssl smime -sign -text -in "$own/$name.xml" -out "$own/$name.p7s" -signer "$by.pem" \
      -inkey "$by.key" || exit
  done
}
# expect WHAT WANTED [ENCLAVE]: what a participant hears of the arm.
expect() {
  local got seconds=60
  [[ $2 != "$nothing" ]] || seconds=5
  got=$(timeout -k 2 600 "$stranger" "$robot" 0.3 $seconds ${3:+"$folder/$3"} 2>/dev/null)
  [[ $got == "$2" ]] && return
  printf '%s: "%s" was to be, but it is "%s"\n' "$1" "$2" "$got"
  failures=$((failures + 1))
}

authority ours
authority theirs
enclave arm ours
enclave friend ours
enclave foe theirs
"$dyn_serve" "$robot" --security "$folder/arm" >"$folder/log" 2>&1 &
server=$!
for _ in {1..600}; do
  grep -q '^[0-9]* s; ' "$folder/log" && break
  grep 'does not bring' "$folder/log" && { echo 'skipped: no security plugins'; exit 77; }
  sleep 0.1
done
nothing='states none, answers none, arm not moved'
expect 'without a certificate' "$nothing"
expect 'with that of another authority' "$nothing" foe
expect 'with ours' 'states heard, answers heard, arm moved' friend
rm "$folder/foe/key.pem"
refusal=$("$dyn_serve" "$robot" --security "$folder/foe" --beside 2>&1)
if [[ $? != 1 || $refusal != *"no file '$folder/foe/key.pem'"* ]]; then
  printf 'without a key: "%s"\n' "$refusal"
  failures=$((failures + 1))
fi
exit $((failures > 0))
