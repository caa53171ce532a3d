# shellcheck shell=bash disable=SC2034
# Sourced: the directories of the virtual machine's parts. Nothing is written into the repository.
vm=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
vm_cache=${HRGATE_VM_CACHE:-${XDG_CACHE_HOME:-${HOME:-/tmp}/.cache}/hrgate/bluez-vm}
vm_python=${HRGATE_VM_PYTHON:-$vm_cache/venv/bin/python}
# Each kernel package has its own directory, so that switching to another kernel and back does not require another
# setup.
vm_kernel_package=${HRGATE_VM_KERNEL:-linux-image-6.1.0-54-amd64}
vm_kernel=$vm_cache/kernels/$vm_kernel_package
