/// Kernels with a known fault that ends links or bluetoothd.
enum KernelCheck {
  private static let name = "kernel"

  private struct Fault {
    /// The releases of each series that have it: from the first up to the first that is mended.
    var releases: [Range<Version>]
    var text: String
    /// Series that have it to their end. Who goes on with one mends it, and no number of it says when.
    var unmended: [Range<Version>] = []

    func isIn(_ version: Version) -> Bool { releases.contains { $0.contains(version) } }
    func isMendedLater(_ version: Version) -> Bool { unmended.contains { $0.contains(version) } }
  }

  /// Kernels from March 2024 (e4b019515f95) refuse the timing that a strap asks for where it is slower than
  /// what the link began with, until July 2024 (806a5198c059); straps then leave after 30 s or 150 s.
  private static let refusesTiming = Fault(
    releases: [
      Version(5, 4, 270)..<Version(5, 4, 280), Version(5, 10, 211)..<Version(5, 10, 222),
      Version(5, 15, 150)..<Version(5, 15, 163), Version(6, 1, 80)..<Version(6, 1, 99),
      Version(6, 6, 19)..<Version(6, 6, 40), Version(6, 7, 7)..<Version(6, 8), Version(6, 8)..<Version(6, 9),
      Version(6, 9)..<Version(6, 9, 9),
    ],
    text:
      "refuses the timing that some monitors ask for (March to July 2024): they leave after 30 s or 150 s",
    unmended: [Version(6, 7, 7)..<Version(6, 8), Version(6, 8)..<Version(6, 9)])

  /// A link that ends some 10 ms after connecting corrupts a list of the kernel's.
  private static let diesOfShortLinks = Fault(
    releases: [Version(6, 1, 192)..<Version(6, 1, 193)],
    text: "takes bluetoothd down when a monitor closes its link at once (list_del corruption)")

  static func findings(_ machine: MachineFacts) -> [Finding] {
    guard let version = Version(machine.kernelRelease) else {
      return [Finding(name, .warn, "the release \(machine.kernelRelease) cannot be read")]
    }
    let faults = [refusesTiming, diesOfShortLinks].filter { $0.isIn(version) }
    if machine.isKernelOfUbuntu, faults.contains(where: { $0.isMendedLater(version) }) {
      return [
        Finding(
          name, .ok,
          "\(machine.kernelRelease) of Ubuntu, whose number does not tell whether it has the faults of that series; how links end does"
        )
      ]
    }
    if faults.isEmpty { return [Finding(name, .ok, machine.kernelRelease)] }
    return faults.map { fault in
      Finding(
        name, .warn, "\(machine.kernelRelease) \(fault.text)",
        advice: "Install a newer kernel of this series and start the machine anew.")
    }
  }
}
