package main

import (
	"context"
	"fmt"
	"math/big"
	"sync"

	"github.com/quarry-sdk/quarry"
)

// shop is the world that the agent works in.
type shop struct {
	customers map[string]customer
	orders    map[string]order

	mu      sync.Mutex
	refunds []refundIn
}

type customer struct {
	Email  string   `json:"email"`
	Name   string   `json:"name"`
	Since  string   `json:"customer_since"`
	Orders []string `json:"orders"`
}

type order struct {
	ID        string `json:"id"`
	Item      string `json:"item"`
	Total     string `json:"total_euros"`
	CreatedAt int64  `json:"created_at"`
	Status    string `json:"status"`
}

func newShop() *shop {
	return &shop{
		customers: map[string]customer{
			"ada@example.org": {"ada@example.org", "Ada", "Mar 5, 2023", []string{"1001", "1002", "1003"}},
		},
		orders: map[string]order{
			"1001": {"1001", "lamp", "49.90", 1741176000, "delivered on 9 March 2025, the driver noted a broken box"},
			"1002": {"1002", "desk", "620.00", 1741262400, "lost by the carrier on Tue, 11 Mar 2025 09:30:00 +0100"},
			"1003": {"1003", "chair", "85.00", 1741348800, "delivered on 12 March 2025"},
		},
	}
}

// What the tools take. The tags are what the model reads about each field.
type (
	customerIn struct {
		Email string `json:"email"`
	}
	orderIn struct {
		OrderID string `json:"order_id"`
	}
	refundIn struct {
		OrderID string `json:"order_id"`
		Amount  string `json:"amount" jsonschema:"in euros, such as 12.50"`
		Reason  string `json:"reason" jsonschema:"for the books, in a few words"`
	}
)

func (s *shop) tools() []*quarry.Tool {
	return []*quarry.Tool{
		quarry.NewTool(quarry.ToolSpec{
			Name:        "get_customer",
			Description: "Returns a customer and the numbers of their orders.",
			Effect:      quarry.ReadOnly,
		}, s.getCustomer),
		quarry.NewTool(quarry.ToolSpec{
			Name:        "lookup_order",
			Description: "Returns an order: what, when, for how much, and what became of it.",
			Effect:      quarry.ReadOnly,
		}, s.lookupOrder),
		quarry.NewTool(quarry.ToolSpec{
			Name:        "refund",
			Description: "Gives money back for an order, once. It cannot be taken back.",
		}, s.refund),
	}
}

func (s *shop) getCustomer(_ context.Context, in customerIn) (customer, error) {
	c, ok := s.customers[in.Email]
	if !ok {
		return customer{}, fmt.Errorf("there is no customer %s; ask for the address of the account", in.Email)
	}
	return c, nil
}

func (s *shop) lookupOrder(_ context.Context, in orderIn) (order, error) {
	o, ok := s.orders[in.OrderID]
	if !ok {
		return order{}, fmt.Errorf("there is no order %s", in.OrderID)
	}
	return o, nil
}

func (s *shop) refund(_ context.Context, in refundIn) (string, error) {
	o, ok := s.orders[in.OrderID]
	if !ok {
		return "", fmt.Errorf("there is no order %s", in.OrderID)
	}
	amount, ok := new(big.Rat).SetString(in.Amount)
	if total, _ := new(big.Rat).SetString(o.Total); !ok || amount.Sign() <= 0 || amount.Cmp(total) > 0 {
		return "", fmt.Errorf("%q is no amount up to %s, which the order cost", in.Amount, o.Total)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range s.refunds {
		if r.OrderID == in.OrderID {
			return "", fmt.Errorf("order %s was refunded already: %s euros", r.OrderID, r.Amount)
		}
	}
	s.refunds = append(s.refunds, in)
	return fmt.Sprintf("%s euros for order %s are on their way.", in.Amount, in.OrderID), nil
}
