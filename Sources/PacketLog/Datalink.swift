/// The numbers of unsupported link types. Numbers below 1000 are pcap link types (registry at tcpdump.org);
/// larger ones are btsnoop datalinks.
enum Datalink {
  private static let usb: Set<UInt32> = [186, 189, 220, 249, 266, 288]
  private static let network: Set<UInt32> = [0, 1, 12, 101, 105, 113, 119, 127, 163, 228, 229, 276]
  /// Link types of BR/EDR baseband packets.
  private static let classic: Set<UInt32> = [161, 255]
  private static let privateUse: ClosedRange<UInt32> = 147...162
  private static let bcsp: UInt32 = 1003
  private static let threeWire: UInt32 = 1004
  private static let simulator: UInt32 = 2002

  private static let advice =
    "record HCI instead: btmon -w FILE on Linux, the HCI snoop log on Android, PacketLogger on a Mac"

  /// Returns the reason why a log with this link type cannot be read, and advice for the user.
  static func whyUnsupported(_ number: UInt32) -> String {
    switch number {
    case _ where usb.contains(number):
      "this log was recorded below HCI, on the USB bus (link type \(number)); \(advice)"
    case bcsp:
      "this log was recorded below HCI, on a serial line with BCSP (data link \(number)); \(advice)"
    case threeWire:
      "this log was recorded below HCI, on a three-wire serial line (data link \(number)); \(advice)"
    case simulator:
      "this log was recorded between simulated devices (data link \(number)); \(advice)"
    case _ where classic.contains(number):
      "this log contains sniffed classic Bluetooth (link type \(number)), which heart-rate monitors do not use"
    case _ where network.contains(number):
      "this log contains network traffic (link type \(number)) and no Bluetooth"
    case _ where privateUse.contains(number):
      "link type \(number) is for private use; if a Bluetooth sniffer wrote it, change it first: "
        + "editcap -T bluetooth-le-ll IN OUT"
    default:
      "link type \(number) is not a link type for Bluetooth packets"
    }
  }
}
