/// Checks for kernels with a known bug that ends links or bluetoothd.
enum KernelCheck {
  private static let name = "kernel"

  private struct Fault {
    /// Affected releases of each series: from the first one up to the first fixed one.
    var releases: [Range<Version>]
    var text: String
    /// Series that were never fixed upstream. A distribution that maintains one may have fixed it, without a
    /// visible version change.
    var unmended: [Range<Version>] = []

    func isIn(_ version: Version) -> Bool { releases.contains { $0.contains(version) } }
    func isMendedLater(_ version: Version) -> Bool { unmended.contains { $0.contains(version) } }
  }

  /// Kernels from March 2024 (e4b019515f95) to July 2024 (806a5198c059) reject connection parameters that are
  /// slower than the initial ones. Straps that request them disconnect after 30 s or 150 s.
  private static let refusesTiming = Fault(
    releases: [
      Version(5, 4, 270)..<Version(5, 4, 280), Version(5, 10, 211)..<Version(5, 10, 222),
      Version(5, 15, 150)..<Version(5, 15, 163), Version(6, 1, 80)..<Version(6, 1, 99),
      Version(6, 6, 19)..<Version(6, 6, 40), Version(6, 7, 7)..<Version(6, 8), Version(6, 8)..<Version(6, 9),
      Version(6, 9)..<Version(6, 9, 9),
    ],
    text:
      "rejects the connection timing that some monitors request (March to July 2024): they disconnect after 30 s or 150 s",
    unmended: [Version(6, 7, 7)..<Version(6, 8), Version(6, 8)..<Version(6, 9)])

  /// A link that ends about 10 ms after connecting corrupts a list in the kernel.
  private static let diesOfShortLinks = Fault(
    releases: [Version(6, 1, 192)..<Version(6, 1, 193)],
    text: "crashes bluetoothd when a monitor closes its link at once (list_del corruption)")

  static func findings(_ machine: MachineFacts) -> [Finding] {
    guard let version = Version(machine.kernelRelease) else {
      return [Finding(name, .warn, "the kernel release \(machine.kernelRelease) cannot be parsed")]
    }
    let faults = [refusesTiming, diesOfShortLinks].filter { $0.isIn(version) }
    if machine.isKernelOfUbuntu, faults.contains(where: { $0.isMendedLater(version) }) {
      return [
        Finding(
          name, .ok,
          "\(machine.kernelRelease) of Ubuntu; its number does not show whether the known bugs of that series are fixed; see how links end"
        )
      ]
    }
    if faults.isEmpty { return [Finding(name, .ok, machine.kernelRelease)] }
    return faults.map { fault in
      Finding(
        name, .warn, "\(machine.kernelRelease) \(fault.text)",
        advice: "Install a newer kernel of this series and reboot.")
    }
  }
}
