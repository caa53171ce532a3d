import Bluetooth
import Gateway
import Glibc
import Ingestion

/// Shows a running gateway on the terminal: a table that is redrawn in place, at least every second, so that
/// the ages of the values stay current.
struct RunScreen {
  private static let pause = Duration.seconds(1)

  let options: RunTable.Options

  private struct Shown {
    var state: GatewayState
    var others = OtherUpdates()
  }

  /// Shows the gateway until its run ends.
  /// - Throws: ``ClosedPipeError`` if the terminal is gone.
  func show(
    _ updates: AsyncStream<GatewayUpdate>, _ others: AsyncStream<RunUpdate>, of main: String? = nil
  ) async throws {
    let latest = Latest(Shown(state: GatewayState(of: main)))
    let table = LiveTable(isVisible: true)
    let options = options
    await withTaskGroup(of: Void.self) { group in
      group.addTask {
        while !Task.isCancelled {
          try? await Task.sleep(for: Self.pause)
          table.redraw()
        }
      }
      await RunUpdate.forEach(updates, others) { update in
        latest.update { shown in
          switch update {
          case .gateway(let update): shown.state = update.state
          case .sync(let update): shown.others.update(with: update)
          case .metrics(let update): shown.others.update(with: update)
          }
        }
        // Show the table only after the first update, so that a run that fails to start shows none.
        table.show { size in
          let shown = latest.value
          return RunTable(state: shown.state, others: shown.others, now: .now(), options: options).lines(size)
        }
      }
      group.cancelAll()
    }
    try table.end()
    let last = latest.value.state
    if last.hasEnded {
      try StandardOutput.write(last.tally.text)
      try StandardOutput.flush()
    }
  }
}

extension IngestionTally {
  /// The counts of a run as a line of text.
  var text: String {
    "\(Counted.text(measurements, "measurement")): \(storedMeasurements) stored, "
      + "\(Counted.text(duplicates, "duplicate")), \(rejectedMeasurements) rejected"
  }
}
