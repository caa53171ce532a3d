import Foundation
import Testing

@testable import TestSupport
@testable import hrgate

@Suite struct ServiceNotifierTests {
  @Test(arguments: [true, false])
  func `notifications arrive in one datagram, at a path and in the abstract namespace`(isAbstract: Bool)
    throws
  {
    let folder = try TemporaryFolder()
    let place = isAbstract ? "@hrgate-\(UUID().uuidString)" : folder.path("notify")
    let manager = try #require(DatagramReceiver(at: place))
    let notifier = try #require(ServiceNotifier(environment: ["NOTIFY_SOCKET": place], process: 7))
    #expect(notifier.send(.ready, .status("two\nlines\u{85}or three")))
    #expect(notifier.send(.watchdog))
    #expect(notifier.send(.stopping))
    #expect(manager.take() == ["READY=1\nSTATUS=two lines or three", "WATCHDOG=1", "STOPPING=1"])
  }

  @Test func `a program that no manager has started sends nothing, and a missing manager is no error`()
    throws
  {
    let folder = try TemporaryFolder()
    let long = "/" + String(repeating: "x", count: 200)
    for environment in [[:], ["NOTIFY_SOCKET": ""], ["NOTIFY_SOCKET": "vsock:2:1"], ["NOTIFY_SOCKET": long]] {
      #expect(ServiceNotifier(environment: environment, process: 7) == nil)
    }
    let notifier = ServiceNotifier(environment: ["NOTIFY_SOCKET": folder.path("none")], process: 7)
    #expect(notifier?.send(.ready) == false)
  }

  @Test func `the watchdog belongs to another process if the variable names it`() {
    func interval(_ values: [String: String]) -> Duration? {
      let environment = values.merging(["NOTIFY_SOCKET": "@none"]) { $1 }
      return ServiceNotifier(environment: environment, process: 7)?.watchdogInterval
    }
    #expect(interval(["WATCHDOG_USEC": "180000000", "WATCHDOG_PID": "7"]) == .seconds(180))
    #expect(interval(["WATCHDOG_USEC": "180000000"]) == .seconds(180))
    #expect(interval(["WATCHDOG_USEC": "180000000", "WATCHDOG_PID": "8"]) == nil)
    #expect(interval(["WATCHDOG_USEC": "0"]) == nil)
    #expect(interval(["WATCHDOG_USEC": "soon"]) == nil)
    #expect(interval([:]) == nil)
  }
}
