/// Checks the supervision timeout: the time without packets after which a link is lost.
enum SupervisionCheck {
  private static let name = "supervision-timeout"
  /// Usual range in milliseconds; the default on Linux is 420. A monitor that leaves is noticed only after
  /// this time.
  private static let usual = 400...6000

  static func findings(_ machine: MachineFacts) -> [Finding] {
    guard let time = machine.supervisionTimeout else { return [] }
    let setting = "[LE] ConnectionSupervisionTimeout in /etc/bluetooth/main.conf"
    if usual.contains(time) {
      return [
        Finding(name, .ok, "links are lost after \(time) ms without a packet (\(setting) changes that)")
      ]
    }
    return [
      Finding(
        name, .warn,
        time < usual.lowerBound
          ? "links are lost after only \(time) ms without a packet, for example when an arm is in between"
          : "a lost monitor is noticed only after \(time) ms",
        advice: "Set \(setting), in units of 10 ms, to between 42 and 600.")
    ]
  }
}
