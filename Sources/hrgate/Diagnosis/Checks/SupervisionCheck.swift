/// After how long without a sign a link is given up.
enum SupervisionCheck {
  private static let name = "supervision-timeout"
  /// Milliseconds: Linux takes 420. A monitor cannot be told from one that is away for as long as this.
  private static let usual = 400...6000

  static func findings(_ machine: MachineFacts) -> [Finding] {
    guard let time = machine.supervisionTimeout else { return [] }
    let setting = "[LE] ConnectionSupervisionTimeout in /etc/bluetooth/main.conf"
    if usual.contains(time) {
      return [Finding(name, .ok, "links outlast \(time) ms without a sign (\(setting) changes that)")]
    }
    return [
      Finding(
        name, .warn,
        time < usual.lowerBound
          ? "links end after \(time) ms without a sign, as when an arm is in between"
          : "that a monitor is gone is noticed after \(time) ms only",
        advice: "Set \(setting), in units of 10 ms, to between 42 and 600.")
    ]
  }
}
