import Foundation

extension MachineFacts {
  /// Reads the kernel's file systems. It changes nothing and does not use the radio.
  ///
  /// - Parameter root: The directory that contains `sys`, `proc` and `etc`.
  public static func gather(root: String = "/") -> MachineFacts {
    let kernel = KernelName.running(signature: line(root + "proc/version_signature"))
    return MachineFacts(
      kernelRelease: kernel.release, isKernelOfUbuntu: kernel.isOfUbuntu,
      radioSwitches: switches(root + "sys/class/rfkill"),
      // Links are listed as children of their adapter ("hci0:64").
      adapters: names(in: root + "sys/class/bluetooth").filter { !$0.contains(":") },
      supervisionTimeout: supervisionTimeout(root))
  }

  private static func switches(_ folder: String) -> [RadioSwitch] {
    names(in: folder).compactMap { name in
      let place = folder + "/" + name + "/"
      guard line(place + "type") == "bluetooth" else { return nil }
      return RadioSwitch(
        name: line(place + "name") ?? name, isSoftBlocked: line(place + "soft") == "1",
        isHardBlocked: line(place + "hard") == "1")
    }
  }

  /// Reads the kernel's value, which requires root; otherwise the one that bluetoothd is configured to set.
  private static func supervisionTimeout(_ root: String) -> Int? {
    let unit = 10
    let debug = root + "sys/kernel/debug/bluetooth/"
    for adapter in names(in: debug) {
      if let time = line(debug + adapter + "/supervision_timeout").flatMap({ Int($0) }) { return time * unit }
    }
    let settings = (try? String(contentsOfFile: root + "etc/bluetooth/main.conf", encoding: .utf8)) ?? ""
    let setting = #/^\s*ConnectionSupervisionTimeout\s*=\s*(\d+)\s*$/#
    for line in settings.split(separator: "\n") {
      if let match = line.firstMatch(of: setting), let time = Int(match.1) { return time * unit }
    }
    return nil
  }

  private static func names(in folder: String) -> [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).sorted()
  }

  private static func line(_ path: String) -> String? {
    (try? String(contentsOfFile: path, encoding: .utf8))?.split(separator: "\n").first.map(String.init)
  }
}
