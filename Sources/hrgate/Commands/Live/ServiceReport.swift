import Foundation
import Gateway
import Glibc
import Systemd

/// Tells systemd, where it has started this program, how the gateway stands, and that it works.
struct ServiceReport: Sendable {
  private let notifier: ServiceNotifier
  private let gateway: HouseholdGateway
  private let events: AsyncStream<TimedGatewayEvent>

  /// How many turns fall into the time that the watchdog waits.
  private static let turns = 3

  /// - Returns: `nil` where nobody wants to know.
  static func wanted(of gateway: HouseholdGateway) -> ServiceReport? {
    ServiceNotifier(environment: ProcessInfo.processInfo.environment, process: getpid()).map {
      ServiceReport(notifier: $0, gateway: gateway, events: gateway.timedEvents())
    }
  }

  /// Tells until the run is over.
  func run() async {
    await withTaskGroup(of: Void.self) { group in
      if let interval = notifier.watchdogInterval {
        group.addTask { await feed(every: interval / Self.turns) }
      }
      await tell()
      group.cancelAll()
    }
  }

  /// The run is to end.
  func stops() { notifier.tell(.stopping) }

  private func tell() async {
    var state = RunState(of: gateway.person)
    var told: String?
    for await event in events {
      state.receive(event)
      let summary = state.summary
      guard summary != told else { continue }
      // The first word is that of a gateway that runs or waits: it has started.
      if told == nil { notifier.tell(.ready, .status(summary)) } else { notifier.tell(.status(summary)) }
      told = summary
    }
  }

  /// Time passes by itself; what feeds the watchdog is the turn, which a gateway that hangs does not take.
  private func feed(every pause: Duration) async {
    while !Task.isCancelled {
      if await gateway.turn() { notifier.tell(.watchdog) }
      try? await Task.sleep(for: pause)
    }
  }
}
