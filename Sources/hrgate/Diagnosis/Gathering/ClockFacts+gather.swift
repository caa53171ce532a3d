public import DBus
import Foundation

extension ClockFacts {
  private static let timeout = Duration.seconds(5)

  /// Reads the clock, and from systemd whether it is synchronized.
  public static func gather(bus: BusAddress = .system) async -> ClockFacts {
    let call = MethodCall(
      destination: "org.freedesktop.timedate1", path: "/org/freedesktop/timedate1",
      interface: "org.freedesktop.DBus.Properties", member: "Get",
      body: [.string("org.freedesktop.timedate1"), .string("NTPSynchronized")])
    let answer = await SystemReply.ask(call, bus, timeout)
    return ClockFacts(
      now: Date.now.timeIntervalSince1970, isSynchronised: answer?.first?.asBool)
  }
}
