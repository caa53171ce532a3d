import Bluetooth
import ExternalStores
import HealthKit
import Testing

@testable import Gateway
@testable import hrgate

/// Tests the live values that are sent to a broker.
@Suite(.timeLimit(.minutes(30))) struct LiveBroadcastTests {
  @Test(arguments: [nil, "anna"] as [String?])
  func `a destination gets the monitors of its person only`(person: String?) throws {
    var state = GatewayState()
    for (number, owner) in ([nil, "anna", "ben"] as [String?]).enumerated() {
      let address = try #require(BluetoothAddress("C0:FF:EE:00:00:0\(number)", kind: .random))
      var monitor = EnrolledMonitor(
        address: address, isBonded: true, enrolled: ReceiptTime(microsecondsSince1970: 1))
      monitor.deviceInformation = [.modelNumberString: "M\(number)", .serialNumberString: "S\(number)"]
      state.update(with: TimedGatewayEvent(emitted: .now(), person: owner, event: .enrolled([monitor])))
    }
    let monitors = LiveBroadcast.monitors(of: person, in: state)
    let number = person == nil ? 0 : 1
    #expect(monitors.map(\.address) == ["C0:FF:EE:00:00:0\(number)"])
    #expect(monitors.first?.device?.model == "M\(number)" && monitors.first?.serialNumber == "S\(number)")
  }
}
