import ArgumentParser
import DemoYear
import Foundation
import Gateway
import HealthKit
import HealthPage
import HealthSystem

/// Shows the page with a year of data and two live straps, in a store that is removed at the end.
struct DemoCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "demo",
    abstract: "Show the web page with the data of a simulated person; no heart-rate monitor is needed.",
    discussion: .paragraphs(
      """
      Needs no Bluetooth adapter and no setup. It fills a temporary store (database file) with a simulated year: nights, work days, training,
      weight, blood pressure, a holiday and a cold. Two simulated straps add live heartbeats; a third one can be paired on the page. Your own
      store is not used.

      The page can be opened only on this machine. The printed address works once, within a minute. Ctrl-C ends the demo and deletes the
      temporary store. Until then, other commands can read it with --store and the printed path.

      EXAMPLES
        hrgate demo
        hrgate demo --no-open --port 8099
        hrgate demo --seed 7
      """))

  @Option(
    help:
      "TCP port of the page on this machine, or 0 for any free port (default: \(PageServer.usualPort), or any free port if that is in use)."
  )
  var port: Int?
  @Flag(help: "Only print the address; do not open a browser.")
  var noOpen = false
  @Option(help: "Seed of the simulated person's random data: a whole number. Each seed gives another year.")
  var seed: UInt64 = 1
  @Option(help: ArgumentHelp("The number of days.", visibility: .hidden))
  var days = 365

  func validate() throws {
    guard (0...65_535).contains(port ?? 0) else {
      throw ValidationError("--port takes a number from 0 to 65535.")
    }
    guard (1...3660).contains(days) else { throw ValidationError("--days takes a number from 1 to 3660.") }
  }

  func run() async throws {
    let interruption = Interruption()
    let folder = try DemoFolder()
    defer { folder.remove() }
    do {
      try await untilInterrupted(interruption) { try await show(in: folder) }
    } catch is CancellationError {
      // Ctrl-C: stop without an error.
    }
  }

  private func show(in folder: DemoFolder) async throws {
    let simulation = SimulatedRun.demo(seed: seed)
    try await simulation.enroll(in: folder.store)
    let strap = try await MonitorRegistry(at: .file(folder.store)).monitors().first
    let source = HKSource(
      name: strap?.name ?? "Strap", bundleIdentifier: strap?.sourceIdentifier ?? "org.hrgate.demo.strap")
    let count = try await SimulatedYear(seed: seed, end: .now, days: days)
      .save(to: SystemStore(at: folder.store), strap: source)
    StandardError.print("\(count) samples of a simulated person are in \(folder.store)")
    try await servePage(of: simulation, .file(folder.store))
  }

  /// Runs the gateway and the page until the task is canceled.
  private func servePage(of simulation: SimulatedRun, _ choice: StoreChoice) async throws {
    let ending = Ending()
    let isOpen = Latest(false)
    let gateway = simulation.makeGateway(choice, policy: LivePolicy()) { try await $1() }
    let (failures, failure) = AsyncStream.makeStream(of: String.self)
    let served = RunPage(
      of: gateway, choice, adapter: nil, radio: simulation.radio,
      port: port.map(PageServer.Port.exactly) ?? .usual, until: ending,
      opened: { [noOpen] opening in
        try PageServeCommand.announce(
          opening, !noOpen,
          notice: "the address opens once, within a minute; Ctrl-C ends the demo and removes its data")
        isOpen.value = true
      },
      complain: { reason in
        if isOpen.value { StandardError.print(reason) } else { failure.yield(reason) }
      })
    async let paged: Void = served.run()
    try await withThrowingTaskGroup(of: Void.self) { tasks in
      defer { tasks.cancelAll() }
      tasks.addTask {
        defer { failure.finish() }
        try await withTaskCancellationHandler {
          try await gateway.run()
        } onCancel: {
          ending.begin()
        }
      }
      // Without the page there is nothing to show.
      tasks.addTask { for await reason in failures { throw CommandError(reason) } }
      for try await _ in tasks {}
    }
    await paged
  }
}
