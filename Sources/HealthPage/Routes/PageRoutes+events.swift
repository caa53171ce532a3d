import HTTPTypes
import HummingbirdCore

extension PageRoutes {
  /// What changes, as it changes.
  mutating func addEvents(
    _ monitors: PageMonitors, _ shelf: StoreShelf, _ permits: StreamPermits, _ rhythm: EventRhythm
  ) {
    reads["/api/events"] = { question in
      let stream = EventStream(
        store: try shelf.store(for: question), person: shelf.person(for: question), monitors: monitors,
        permit: try permits.permit(question.session.id), rhythm: rhythm,
        hangUp: question.hangUp)
      let body = question.request.body
      var answer = PageAnswer("text/event-stream") { writer in
        // A browser that goes away says nothing: its end of the connection closes.
        try await body.consumeWithCancellationOnInboundClose { _ in try await stream.run(&writer) }
        try await writer.finish(nil)
      }
      answer.fields[.connection] = "close"
      return answer
    }
  }
}
