# Adds the packages that Debian ports back to the release of this machine, unless apt knows the one wanted.
# They come from where the release itself comes from.
#
# usage: sh -c "$(cat backports.sh)" backports PACKAGE

if apt-cache show "$1" >/dev/null 2>&1; then
    exit 0
fi
. /etc/os-release
mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Origin: Debian' \
    "Codename: $VERSION_CODENAME" 'Component: main' | head -n 1)
if [ -z "$mirror" ]; then
    echo "no package $1 for $PRETTY_NAME: please install it by hand" >&2
    exit 1
fi
# Never preferred: apt takes from here only what the release itself does not have.
printf '%s\n' "Types: deb" "URIs: $mirror" "Suites: $VERSION_CODENAME-backports" "Components: main" \
    "Signed-By: /usr/share/keyrings/debian-archive-keyring.gpg" \
    >"/etc/apt/sources.list.d/$VERSION_CODENAME-backports.sources"
apt-get update
